import type { AuthDeps, AuthRequest, Credential } from './authenticator.ts';
import { credentialHeader, withoutScheme } from './staticValue.ts';

/**
 * For servers that authenticate callers themselves (`oauth_passthrough`, `delegate_auth_to_upstream`): the caller's own
 * token, never the virtual key. Without one the call goes out bare, so that the caller gets the server's own challenge.
 */
export function passedThrough({ server, secrets, caller }: AuthRequest, deps: AuthDeps): Credential | undefined {
  if (!server.oauth_passthrough && !server.delegate_auth_to_upstream) return undefined;
  const token = caller.bearer === undefined ? '' : withoutScheme(caller.bearer, 'bearer');
  if (token === '' || caller.holdsKey(token)) return { headers: {}, resolution: 'no-auth', identity: '' };
  return {
    headers: credentialHeader('authorization', `Bearer ${token}`, secrets),
    resolution: 'oauth2-passthrough',
    identity: `token:${deps.fingerprint(token)}`,
  };
}
