import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const authentication = promisedBy(`${document}, Authentication`, {
  'host.auth.listed': 'An agent lists its resources in AgentInfo.protectedResources, described by their metadata.',
  'host.auth.pushed': 'A client pushes the token with authenticate before it creates a session with that agent.',
  'host.auth.refused':
    'Without a valid token for a required resource the host answers AuthRequired, whose data lists what needs one.',
  'host.auth.resources-always':
    'data of AuthRequired always has resources; an agent with a sign-in of its own is listed as a resource itself.',
  'host.auth.optional': 'With required false the agent works without a token.',
  'host.auth.mid-call': 'A call that is blocked on authentication shows as a toolAuthentication request.',
  'host.auth.mid-call-token': 'The client pushes a token for toolCall.auth.resource with authenticate.',
});

export const versioning = promisedBy(`${document}, Versioning`, {
  'host.version.semver': 'Versions of the protocol are SemVer strings.',
  'host.version.unserved': 'A version that cannot be served fails with -32005 and the versions that can.',
  'host.version.plugin': 'The version of a plugin is provenance only.',
});
