import { Fault } from '../../../platform/faults.ts';
import { tokenOrigins } from '../../wire/serverOrigins.ts';
import { type BackendSecrets, labelOf, type McpRegistration } from '../registration.ts';
import type { FetchFor } from './connect.ts';
import { findAuthorizationServer, isIssuerRegistered } from './discovery.ts';
import { type GrantedToken, grant, InvalidGrant } from './grants.ts';
import { present, resourceOf } from './resource.ts';
import {
  clientRefOf,
  type RegisteredClientStore,
  refOf,
  type UserToken,
  type UserTokenRef,
  type UserTokenStore,
} from './stores.ts';
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
    const key = `${keyOf(request)}${tokenOrigins(request.server)}`;
    return this.#cache.token(key, request, async () => {
      const token = await this.#current(request);
      const memoryEndMs = this.#deps.nowMs() + memoryMs;
      const endMs = Math.min(memoryEndMs, (token.expires_at_ms ?? memoryEndMs + earlyRefreshMs) - earlyRefreshMs);
      return { accessToken: token.access_token, expiresAtMs: endMs + earlyRefreshMs };
    });
  }

  /**
   * The server refused a call for want of scopes. The token stays, for what it is good for.
   *
   * @returns the answer for the caller: to sign in again, where more is asked for
   */
  async needs(server: McpRegistration, user: string, scopes: readonly string[]): Promise<Fault> {
    const { store } = this.#deps;
    const ref = refOf(server, user);
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
    const ref = refOf(request.server, request.user);
    const stored = await store.read(ref);
    if (!stored) throw signIn(request.server);
    if (this.#isGood(stored, request.refused)) return stored;
    return store.lease(ref, () => this.#refresh(ref, request));
  }

  #isGood(token: UserToken, refused: string | undefined): boolean {
    if (token.access_token === refused) return false;
    return token.expires_at_ms === undefined || this.#deps.nowMs() < token.expires_at_ms - earlyRefreshMs;
  }

  /**
   * Under the lease. Somebody else may have refreshed while we waited for it; and the person may sign in or disconnect,
   * for which nobody waits, while the authorization server is asked: then what they did counts.
   */
  async #refresh(ref: UserTokenRef, request: UserTokenRequest): Promise<UserToken> {
    const { store, nowMs } = this.#deps;
    const stored = await store.read(ref);
    if (!stored) throw signIn(request.server);
    if (this.#isGood(stored, request.refused)) return stored;
    if (stored.refresh_token === undefined) {
      const isOver = nowMs() >= (stored.expires_at_ms ?? Number.POSITIVE_INFINITY);
      if (!isOver && stored.access_token !== request.refused) return stored;
      await store.remove(ref);
      throw signIn(request.server);
    }
    const granted = await this.#askFor(stored, stored.refresh_token, request).catch((thrown: unknown) => {
      if (thrown instanceof InvalidGrant) return undefined;
      throw thrown;
    });
    const now = await store.read(ref);
    if (!now) throw signIn(request.server);
    if (!isSame(now, stored)) return now;
    if (!granted) {
      await store.remove(ref);
      throw signIn(request.server);
    }
    const token = toUserToken(granted, now);
    await store.write(ref, token);
    return token;
  }

  async #askFor(
    { issuer, renewed_at }: UserToken,
    refreshToken: string,
    { server, secrets }: UserTokenRequest,
  ): Promise<GrantedToken> {
    const fetch = this.#deps.fetchFor(server);
    const registered = await this.#deps.clients.read(clientRefOf(server));
    const found = await findAuthorizationServer(server, fetch);
    // The server itself may say by now that it is another one: that gets neither this token nor the client's secret.
    const isRegisteredThere = registered?.issuer === found.issuer;
    const own = clientOf(secrets, isRegisteredThere ? registered : undefined);
    const isKnown = issuer !== undefined || isIssuerRegistered(server) || isRegisteredThere;
    const isOfAnother =
      !isKnown ||
      (issuer !== undefined && issuer !== found.issuer) ||
      (renewed_at !== undefined && renewed_at !== new URL(found.token_endpoint).origin);
    if (!own || isOfAnother) throw signIn(server);
    const client = await openTokenClient(found, own, fetch);
    const parameters = present({ resource: resourceOf(server, secrets, found.resource) });
    return grant(client, this.#deps.nowMs, ({ library, configuration }) =>
      library.refreshTokenGrant(configuration, refreshToken, parameters),
    );
  }
}

/** Nobody signed in anew or renewed it meanwhile. */
const isSame = (a: UserToken, b: UserToken) => a.access_token === b.access_token && a.refresh_token === b.refresh_token;

/** An answer without a refresh token leaves the old one good (RFC 6749, 6). */
function toUserToken(granted: GrantedToken, before: UserToken): UserToken {
  return {
    ...before,
    access_token: granted.accessToken,
    refresh_token: granted.refreshToken ?? before.refresh_token,
    expires_at_ms: granted.expiresAtMs,
    scopes: granted.scopes ?? before.scopes,
  };
}

const keyOf = ({ server, user }: { readonly server: { readonly server_id: string }; readonly user: string }) =>
  `${server.server_id}\u0000${user}\u0000`;

/** Answered with 401 and a challenge that names the protected-resource document of this server. */
export const signIn = (server: McpRegistration): Fault =>
  new Fault('auth_required', `Sign in to '${labelOf(server)}' first.`, {
    data: { reason: 'sign_in', server_id: server.server_id },
  });
