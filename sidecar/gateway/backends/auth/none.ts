import type { Authenticator } from './authenticator.ts';
import { passedThrough } from './passedThrough.ts';

/** Adds nothing. A server with `oauth_passthrough` gets the caller's own token. */
export const none: Authenticator = {
  check: () => undefined,
  credential: (request, deps) => passedThrough(request, deps) ?? { headers: {}, resolution: 'no-auth', identity: '' },
};
