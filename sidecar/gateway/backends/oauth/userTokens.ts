import { Fault } from '../../../platform/faults.ts';
import { type BackendSecrets, labelOf, type McpRegistration } from '../registration.ts';
import type { FetchFor } from './connect.ts';
import { findAuthorizationServer } from './discovery.ts';
import { type GrantedToken, grant, InvalidGrant } from './grants.ts';
import { present, resourceOf } from './resource.ts';
import type { RegisteredClientStore, UserToken, UserTokenRef, UserTokenStore } from './stores.ts';
import { TokenCache } from './tokenCache.ts';
import { clientOf, openTokenClient } from './tokenClient.ts';

/** A stored token is read again after this long, so that one that was removed elsewhere is not used for long. */
const memoryMs = 30_000;
/** A stored token is refreshed this long before its end. */
const earlyRefreshMs = 60_000;

export interface UserTokensDeps {
  readonly store: UserTokenStore;
  readonly clients: RegisteredClientStore;
  readonly fetchFor: FetchFor;
  readonly nowMs: () => number;
}

export interface UserTokenRequest {
  readonly server: McpRegistration;
  readonly secrets: BackendSecrets;
  readonly user: string;
  /** A token the backend did not take. */
  readonly refused?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * A token for each person and server, stored by whoever is handed in and refreshed before its end: over all replicas by
 * one at a time, since a refresh token may be good for one use.
 */
export class UserTokens {
  readonly #deps: UserTokensDeps;
  readonly #cache: TokenCache;

  constructor(deps: UserTokensDeps) {
    this.#deps = deps;
    this.#cache = new TokenCache(deps.nowMs);
  }

  /**
   * @throws {Fault} `auth_required` where the person has to sign in (never did, or the authorization server says
   *   `invalid_grant`, which also deletes the token); `unavailable` where the authorization server cannot be asked
   */
  token(request: UserTokenRequest): Promise<string> {
    return this.#cache.token(keyOf(request), request, async () => {
      const token = await this.#current(request);
      const memoryEndMs = this.#deps.nowMs() + memoryMs;
      const endMs = Math.min(memoryEndMs, (token.expires_at_ms ?? memoryEndMs + earlyRefreshMs) - earlyRefreshMs);
      return { accessToken: token.access_token, expiresAtMs: endMs + earlyRefreshMs };
    });
  }

  /**
   * The server refused a call for want of scopes. The token stays, for what it is good for.
   *
   * @returns what to tell the caller: to sign in again, where more is asked for
   */
  async needs(server: McpRegistration, user: string, scopes: readonly string[]): Promise<Fault> {
    const { store } = this.#deps;
    const ref = { user, server_id: server.server_id };
    await store.lease(ref, async () => {
      const stored = await store.read(ref);
      if (stored) await store.write(ref, { ...stored, missing_scopes: scopes });
    });
    return signIn(server);
  }

  /** Somebody connected, disconnected or changed the server: the next call reads the store. */
  forget(serverId: string, user?: string): void {
    this.#cache.forget(user === undefined ? `${serverId}\u0000` : keyOf({ server: { server_id: serverId }, user }));
  }

  async #current(request: UserTokenRequest): Promise<UserToken> {
    const { store } = this.#deps;
    const ref = { user: request.user, server_id: request.server.server_id };
    const stored = await store.read(ref);
    if (!stored) throw signIn(request.server);
    if (this.#isGood(stored, request.refused)) return stored;
    return store.lease(ref, () => this.#refresh(ref, request));
  }

  #isGood(token: UserToken, refused: string | undefined): boolean {
    if (token.access_token === refused) return false;
    return token.expires_at_ms === undefined || this.#deps.nowMs() < token.expires_at_ms - earlyRefreshMs;
  }

  /** Under the lease. Somebody else may have refreshed while we waited for it. */
  async #refresh(ref: UserTokenRef, request: UserTokenRequest): Promise<UserToken> {
    const { store, nowMs } = this.#deps;
    const stored = await store.read(ref);
    if (!stored) throw signIn(request.server);
    if (this.#isGood(stored, request.refused)) return stored;
    if (stored.refresh_token === undefined) {
      const isOver = stored.expires_at_ms !== undefined && nowMs() >= stored.expires_at_ms;
      if (!isOver && stored.access_token !== request.refused) return stored;
      await store.remove(ref);
      throw signIn(request.server);
    }
    try {
      const granted = await this.#askFor(stored.refresh_token, request);
      const token = toUserToken(granted, stored);
      await store.write(ref, token);
      return token;
    } catch (thrown) {
      if (!(thrown instanceof InvalidGrant)) throw thrown;
      await store.remove(ref);
      throw signIn(request.server);
    }
  }

  async #askFor(refreshToken: string, { server, secrets }: UserTokenRequest): Promise<GrantedToken> {
    const fetch = this.#deps.fetchFor(server);
    const own = clientOf(secrets, await this.#deps.clients.read(server.server_id));
    if (!own) throw signIn(server);
    const found = await findAuthorizationServer(server, fetch);
    const client = await openTokenClient(found, own, fetch);
    const parameters = present({ resource: resourceOf(server, secrets, found.resource) });
    return grant(client, this.#deps.nowMs, ({ library, configuration }) =>
      library.refreshTokenGrant(configuration, refreshToken, parameters),
    );
  }
}

/** An answer without a refresh token leaves the old one good (completion 1.11). */
function toUserToken(granted: GrantedToken, before: UserToken): UserToken {
  return {
    access_token: granted.accessToken,
    refresh_token: granted.refreshToken ?? before.refresh_token,
    expires_at_ms: granted.expiresAtMs,
    scopes: granted.scopes ?? before.scopes,
    missing_scopes: before.missing_scopes,
    connected_at_ms: before.connected_at_ms,
  };
}

const keyOf = ({ server, user }: { readonly server: { readonly server_id: string }; readonly user: string }) =>
  `${server.server_id}\u0000${user}\u0000`;

/** Answered with 401 and a challenge that names the protected-resource document of this server. */
export const signIn = (server: McpRegistration): Fault =>
  new Fault('auth_required', `Sign in to '${labelOf(server)}' first.`, {
    data: { reason: 'sign_in', server_id: server.server_id },
  });
