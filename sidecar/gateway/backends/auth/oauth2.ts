import { Fault } from '../../../platform/faults.ts';
import { checkClient, checkClientSecret } from '../oauth/checkClient.ts';
import type { AuthDeps, Authenticator, AuthRequest, Credential } from './authenticator.ts';
import { passedThrough } from './passedThrough.ts';
import { credentialHeader } from './staticValue.ts';

const flows = ['authorization_code', 'client_credentials'] as const;

/**
 * OAuth 2. `oauth2_flow: client_credentials` has one token for the server; `authorization_code`, the default, has one
 * for each person and server, from the interactive flow with PKCE.
 */
export const oauth2: Authenticator = {
  check(server, secrets) {
    const flow = server.oauth2_flow ?? 'authorization_code';
    if (!flows.some((it) => it === flow)) {
      throw new Fault('invalid_params', `'oauth2_flow' must be one of ${flows.join(', ')}.`, {
        data: { field: 'oauth2_flow' },
      });
    }
    checkClient(server, secrets);
    if (flow === 'client_credentials') checkClientSecret(server, secrets);
  },
  async credential(request, deps) {
    const passed = passedThrough(request, deps);
    if (passed) return passed;
    oauth2.check(request.server, request.secrets);
    return request.server.oauth2_flow === 'client_credentials' ? asClient(request, deps) : asUser(request, deps);
  },
};

async function asClient(request: AuthRequest, deps: AuthDeps, refused?: string): Promise<Credential> {
  const token = await deps.clientTokens.token({ ...request, refused });
  return {
    headers: credentialHeader('authorization', `Bearer ${token}`, request.secrets),
    resolution: 'm2m-client-credentials',
    identity: '',
    ...(refused === undefined && { renew: (signal) => asClient({ ...request, signal }, deps, token) }),
  };
}

async function asUser(request: AuthRequest, deps: AuthDeps, refused?: string): Promise<Credential> {
  const token = await deps.userTokens.token({ ...request, user: request.caller.user, refused });
  return {
    headers: credentialHeader('authorization', `Bearer ${token}`, request.secrets),
    resolution: 'stored-user-token',
    identity: `user:${deps.fingerprint(request.caller.user)}`,
    needs: (scopes) => deps.userTokens.needs(request.server, request.caller.user, scopes),
    ...(refused === undefined && { renew: (signal) => asUser({ ...request, signal }, deps, token) }),
  };
}
