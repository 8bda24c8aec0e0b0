import { Fault } from '../../../platform/faults.ts';
import { checkClient, checkExchange } from '../oauth/checkClient.ts';
import { labelOf } from '../registration.ts';
import type { AuthDeps, Authenticator, AuthRequest, Credential } from './authenticator.ts';
import { credentialHeader, withoutScheme } from './staticValue.ts';

/**
 * Token exchange on behalf of the caller (RFC 8693): the caller's bearer token is exchanged for one that is meant for
 * this server. A call without such a token is refused with 401; no call runs under an account of the gateway.
 */
export const oauth2TokenExchange: Authenticator = {
  check(server, secrets) {
    checkClient(server, secrets);
    checkExchange(server, secrets);
  },
  async credential(request, deps) {
    oauth2TokenExchange.check(request.server, request.secrets);
    return exchanged(request, subjectToken(request), deps);
  },
};

async function exchanged(request: AuthRequest, subject: string, deps: AuthDeps, refused?: string): Promise<Credential> {
  const token = await deps.exchangedTokens.token({ ...request, subject, refused });
  return {
    headers: credentialHeader('authorization', `Bearer ${token}`, request.secrets),
    resolution: 'token-exchange',
    identity: `subject:${deps.fingerprint(subject)}`,
    ...(refused === undefined && { renew: (signal) => exchanged({ ...request, signal }, subject, deps, token) }),
  };
}

function subjectToken({ server, caller }: AuthRequest): string {
  const token = caller.bearer === undefined ? '' : withoutScheme(caller.bearer, 'bearer');
  if (token !== '' && !caller.holdsKey(token)) return token;
  throw new Fault(
    'auth_required',
    `'${labelOf(server)}' acts on behalf of its caller. Send your own token in Authorization and the virtual key in x-gateway-api-key.`,
    { data: { reason: 'subject_token_missing', server_id: server.server_id } },
  );
}
