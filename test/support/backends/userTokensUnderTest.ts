import type { AnyTokenRef, UserToken } from '../../../sidecar/gateway/backends/oauth/stores.ts';
import { UserTokens } from '../../../sidecar/gateway/backends/oauth/userTokens.ts';
import type { BackendSecrets, McpRegistration } from '../../../sidecar/gateway/backends/registration.ts';
import { tokenOrigins } from '../../../sidecar/gateway/wire/serverOrigins.ts';
import { MemoryClients, MemoryTokens } from './memoryStores.ts';
import { SetClock } from './setClock.ts';
import { TokenEndpoint } from './tokenEndpoint.ts';

/** Counts reads, and fails as a database that is away. */
class CountedTokens extends MemoryTokens {
  reads = 0;
  failure: Error | undefined;

  override read(ref: AnyTokenRef) {
    this.reads += 1;
    return super.read(ref);
  }
  override async write(ref: AnyTokenRef, token: UserToken) {
    if (this.failure) throw this.failure;
    await super.write(ref, token);
  }
  override async remove(ref: AnyTokenRef) {
    if (this.failure) throw this.failure;
    await super.remove(ref);
  }
}

export const server: McpRegistration = {
  server_id: 's1',
  alias: 'alpha',
  auth_type: 'oauth2',
  url: 'https://mcp.example/mcp',
  authorization_url: 'https://as.example/authorize',
  token_url: 'https://as.example/token',
};
/** Whose token is stored at the beginning. */
export const ref = { user: 'alice', server_id: 's1', origins: tokenOrigins(server) };
/** What a person gets who has to sign in. */
export const needsSignIn = {
  code: 'auth_required',
  message: "Sign in to 'alpha' first.",
  data: { reason: 'sign_in', server_id: 's1' },
};

/** @param token that is stored at the beginning */
export async function userTokensUnderTest(
  token: Partial<UserToken> | undefined,
  secrets: BackendSecrets = { client_id: 'us' },
) {
  const [clock, store, clients, endpoint] = [
    new SetClock(),
    new CountedTokens(),
    new MemoryClients(),
    new TokenEndpoint(),
  ];
  const nowMs = () => clock.nowMs();
  const tokens = new UserTokens({ store, clients, fetchFor: () => endpoint.fetch, nowMs });
  const whole = (more: Partial<UserToken>): UserToken => ({ access_token: 'first', connected_at_ms: 1, ...more });
  if (token) await store.write(ref, whole(token));
  const { signal } = new AbortController();
  const get = (more: { user?: string; refused?: string; server?: McpRegistration } = {}) =>
    tokens.token({ server, secrets, user: 'alice', signal, ...more });
  return { clock, store, clients, endpoint, tokens, whole, get };
}

/** What the authorization server answers to a renewal. */
export const renewed = { access_token: 'second', token_type: 'bearer', refresh_token: 'r2', expires_in: 3600 };
