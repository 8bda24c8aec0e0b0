import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../../platform/faults.ts';
import { tokenOrigins } from '../../wire/serverOrigins.ts';
import { type BackendSecrets, labelOf, type McpRegistration } from '../registration.ts';
import { checkClient } from './checkClient.ts';
import type { FetchFor } from './connect.ts';
import { type AuthorizationServer, findAuthorizationServer } from './discovery.ts';
import { grant, InvalidGrant, knownError } from './grants.ts';
import { challengeOf, type RandomBytes, randomWord } from './pkce.ts';
import { registerClient } from './registerClient.ts';
import { present, resourceOf, scopeOf } from './resource.ts';
import { type FlowState, stateSealer } from './sealedState.ts';
import {
  clientRefOf,
  type RegisteredClientStore,
  refOf,
  type UsedStates,
  type UserToken,
  type UserTokenStore,
} from './stores.ts';
import { clientOf, type OAuthClient, openTokenClient } from './tokenClient.ts';

/** How long a person may take to sign in. */
export const flowMs = 10 * 60_000;

export interface SignInDeps {
  readonly tokens: UserTokenStore;
  readonly clients: RegisteredClientStore;
  readonly states: UsedStates;
  readonly fetchFor: FetchFor;
  readonly nowMs: () => number;
  readonly newId: () => string;
  readonly random: RandomBytes;
  /** At least 32 bytes, shared by all replicas. */
  readonly secret: Uint8Array;
}

export interface Registered {
  readonly server: McpRegistration;
  readonly secrets: BackendSecrets;
}

export interface SignInStart extends Registered {
  readonly user: string;
  /** The gateway's own callback address. */
  readonly redirectUri: string;
  /** Given back at the end. Whoever begins has checked that it may be gone to. */
  readonly returnTo?: string;
}

export interface SignInAnswer {
  readonly query: URLSearchParams;
  readonly cookie: string | undefined;
  readonly find: (serverId: string) => Promise<Registered | undefined>;
}

/** A sign-in of ours that came back and was not finished: whoever began it is notified through `returnTo`. */
export class SignInFailed extends Fault {
  readonly returnTo: string | undefined;

  constructor({ code, message, data, cause }: Fault, returnTo: string | undefined) {
    super(code, message, { data, cause });
    this.returnTo = returnTo;
  }
}

/** A person signs in at a server's authorization server: code flow with PKCE S256 (`gateway.auth.oauth2.pkce`). */
export class UpstreamSignIn {
  readonly #deps: SignInDeps;
  readonly #sealer: ReturnType<typeof stateSealer>;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    this.#sealer = stateSealer(deps.secret);
  }

  /**
   * @returns `url` for the browser, and `cookie` to set there (HttpOnly, SameSite=Lax, 10 minutes): only the browser that
   *   began can end it
   * @throws {Fault} `unavailable` where the authorization server is not found or cannot be used
   */
  async begin({ server, secrets, user, redirectUri, returnTo }: SignInStart): Promise<{ url: string; cookie: string }> {
    checkClient(server, secrets);
    const fetch = this.#deps.fetchFor(server);
    const found = await findAuthorizationServer(server, fetch);
    const methods = found.code_challenge_methods_supported;
    if (found.authorization_endpoint === undefined || (methods && !methods.includes('S256'))) throw unusable(server);
    const before = await this.#deps.tokens.read(refOf(server, user));
    const scope = wantedScope(found, secrets, before);
    const client = await this.#client(server, secrets, found, redirectUri, scope);
    const verifier = randomWord(this.#deps.random);
    const cookie = randomWord(this.#deps.random);
    const state = this.#sealer.seal({
      id: this.#deps.newId(),
      server_id: server.server_id,
      user,
      verifier,
      issuer: found.issuer,
      origins: originsOf(server, found),
      client_id: client.client_id,
      redirect_uri: redirectUri,
      binding: digest(cookie),
      expires_at_ms: this.#deps.nowMs() + flowMs,
      return_to: returnTo,
    });
    const url = new URL(found.authorization_endpoint);
    const parameters = present({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      scope,
      resource: resourceOf(server, secrets, found.resource),
      prompt: scope?.split(' ').includes('offline_access') ? 'consent' : undefined,
    });
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, cookie };
  }

  /**
   * The authorization server sent the browser back. Stores the token.
   * @param query of the callback; `cookie` from the same browser; `find` gives the server of the state, or nothing
   * @throws {Fault} `invalid_params` for a state that is not ours, too old, used or of another browser; `auth_required`
   *   where the person or the server refused; `unavailable` where the code cannot be exchanged. Once the state was taken as
   *   ours it is a {@link SignInFailed}
   */
  async finish(
    answer: SignInAnswer,
  ): Promise<{ readonly server_id: string; readonly user: string; readonly return_to?: string | undefined }> {
    const state = await this.#claimed(answer.query.get('state'), answer.cookie);
    try {
      await this.#end(state, answer);
    } catch (thrown) {
      throw thrown instanceof Fault ? new SignInFailed(thrown, state.return_to) : thrown;
    }
    return { server_id: state.server_id, user: state.user, return_to: state.return_to };
  }

  async #end(state: FlowState, answer: SignInAnswer): Promise<void> {
    const found = await answer.find(state.server_id);
    if (!found) throw staleState();
    const { server, secrets } = found;
    const refusal = answer.query.get('error');
    if (refusal !== null) throw signInRefused(server, knownError(refusal));
    const fetch = this.#deps.fetchFor(server);
    const authorizationServer = await findAuthorizationServer(server, fetch);
    const client = clientOf(secrets, await this.#deps.clients.read(clientRefOf(server)));
    if (originsOf(server, authorizationServer) !== state.origins) throw staleState();
    if (authorizationServer.issuer !== state.issuer || client?.client_id !== state.client_id) throw staleState();
    const token = await this.#exchange(found, authorizationServer, client, state, answer.query);
    await this.#deps.tokens.write(refOf(server, state.user), token);
  }

  async #claimed(text: string | null, cookie: string | undefined): Promise<FlowState> {
    const state = text === null ? undefined : this.#sealer.open(text);
    if (!state || cookie === undefined || !isSame(digest(cookie), state.binding)) throw staleState();
    if (this.#deps.nowMs() >= state.expires_at_ms) throw staleState();
    if (!(await this.#deps.states.claim(state.id, state.expires_at_ms))) throw staleState();
    return state;
  }

  async #exchange(
    { server, secrets }: Registered,
    found: AuthorizationServer,
    client: OAuthClient,
    state: FlowState,
    query: URLSearchParams,
  ): Promise<UserToken> {
    const opened = await openTokenClient(found, client, this.#deps.fetchFor(server));
    const url = new URL(state.redirect_uri);
    for (const [name, value] of query) url.searchParams.append(name, value);
    const checks = { pkceCodeVerifier: state.verifier, expectedState: query.get('state') ?? '' };
    const extra = present({ resource: resourceOf(server, secrets, found.resource) });
    try {
      const granted = await grant(opened, this.#deps.nowMs, ({ library, configuration }) =>
        library.authorizationCodeGrant(configuration, url, checks, extra),
      );
      return {
        access_token: granted.accessToken,
        refresh_token: granted.refreshToken,
        expires_at_ms: granted.expiresAtMs,
        scopes: granted.scopes,
        issuer: found.issuer,
        renewed_at: new URL(found.token_endpoint).origin,
        connected_at_ms: this.#deps.nowMs(),
      };
    } catch (thrown) {
      if (thrown instanceof InvalidGrant) throw signInRefused(server, 'invalid_grant');
      throw thrown;
    }
  }

  async #client(
    server: McpRegistration,
    secrets: BackendSecrets,
    found: AuthorizationServer,
    redirectUri: string,
    scope: string | undefined,
  ): Promise<OAuthClient> {
    const ref = clientRefOf(server);
    const known = async () => {
      const stored = await this.#deps.clients.read(ref);
      const isUsable = stored?.issuer === found.issuer && stored.redirect_uris.includes(redirectUri);
      return clientOf(secrets, isUsable ? stored : undefined);
    };
    const own = await known();
    if (own) return own;
    // One after the other: a second client that is registered meanwhile would end the sign-in that was begun with the first.
    return this.#deps.clients.lease(ref, async () => {
      const meanwhile = await known();
      if (meanwhile) return meanwhile;
      const wanted = { redirectUri, name: 'Switchboard gateway', scope };
      const registered = await registerClient(found, wanted, this.#deps.fetchFor(server));
      await this.#deps.clients.write(ref, registered);
      return registered;
    });
  }
}

/**
 * Without registered scopes: what the server asks for, else what it offers. With what a call was refused for, and what the
 * token had, so that nothing is lost by a wider one.
 */
function wantedScope(
  found: AuthorizationServer,
  secrets: BackendSecrets,
  before: UserToken | undefined,
): string | undefined {
  const first = scopeOf(secrets)?.split(' ') ?? found.scopes_supported ?? [];
  const missing = before?.missing_scopes;
  const all = new Set(missing ? [...first, ...(before.scopes ?? []), ...missing] : first);
  return [...all].join(' ') || undefined;
}

/** What a person agreed to sign in to: the code of that sign-in goes nowhere else. */
const originsOf = (server: McpRegistration, { token_endpoint }: AuthorizationServer): string =>
  `${tokenOrigins(server)} ${new URL(token_endpoint).origin}`;

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const staleState = () =>
  new Fault(
    'invalid_params',
    'This sign-in is unknown, has expired, has already been used, or was started in another browser.',
    {
      data: { field: 'state' },
    },
  );

const signInRefused = (server: McpRegistration, error: string) =>
  new Fault('auth_required', `The sign-in to '${labelOf(server)}' failed with '${error}'.`, {
    data: { reason: 'sign_in_refused', server_id: server.server_id, error },
  });

const unusable = (server: McpRegistration) =>
  new Fault('unavailable', `The authorization server for '${labelOf(server)}' does not support PKCE with S256.`, {
    data: { reason: 'authorization_server', server_id: server.server_id },
  });
