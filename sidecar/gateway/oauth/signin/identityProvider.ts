import type {
  ClientAuth,
  Configuration,
  IDToken,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import { type Claims, claimAt } from '../../auth/people/claims.ts';
import type { SmallAnswer, SmallFetch } from '../../backends/net/smallFetch.ts';
import { libraryFetch } from '../../backends/oauth/libraryFetch.ts';
import type { SignInOptions } from './contract.ts';

type Library = typeof import('openid-client');
type TokenAnswer = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Discovery and keys are read anew after this time. */
const KEPT_MS = 60 * 60_000;

/** What a provider issued for one session. */
export interface IssuedTokens {
  readonly refresh_token?: string | undefined;
  /** The last ID token: a hint when somebody signs out. */
  readonly id_token?: string | undefined;
}

export interface Vouch {
  readonly claims: Claims;
  readonly tokens: IssuedTokens;
}

/** What one sign-in is checked by when the browser comes back. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface ProviderDeps {
  readonly options: SignInOptions;
  readonly fetch: SmallFetch;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The provider said no, or what it said is not to be believed. */
export class NotVouched extends Error {}

/** The identity provider of the configuration. Its metadata is read at the first sign-in. */
export class IdentityProvider {
  readonly #deps: ProviderDeps;
  #open: { readonly client: Promise<Client>; readonly untilMs: number } | undefined;

  constructor(deps: ProviderDeps) {
    this.#deps = { ...deps, fetch: (request, signal) => deps.fetch(request, signal).then(unlessBusy) };
  }

  /** @throws {Fault} `unavailable` where its metadata cannot be read */
  client(): Promise<Client> {
    const nowMs = this.#deps.clock.nowMs();
    if (this.#open && nowMs < this.#open.untilMs) return this.#open.client;
    const client = discover(this.#deps);
    const opened = { client, untilMs: nowMs + KEPT_MS };
    this.#open = opened;
    client.catch(() => {
      if (this.#open === opened) this.#open = undefined;
    });
    return client;
  }
}

async function discover({ options, fetch }: ProviderDeps): Promise<Client> {
  const library = await import('openid-client');
  const { issuer, client_id, client_secret } = options;
  try {
    const configuration = await library.discovery(
      new URL(issuer),
      client_id,
      client_secret === undefined ? {} : { client_secret },
      client_secret === undefined ? library.None() : secretAuth(library, client_secret),
      {
        [library.customFetch]: libraryFetch(fetch),
        execute: [
          // An ID token counts only if the provider signed it.
          library.enableNonRepudiationChecks,
          // The configuration allows plain http for this machine alone.
          ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
        ],
      },
    );
    return new Client(library, configuration, options, fetch);
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** In the body of a request, unless the provider takes it in the header alone. */
const secretAuth =
  ({ ClientSecretBasic, ClientSecretPost }: Library, secret: string): ClientAuth =>
  (server, client, body, headers) => {
    const offered = server.token_endpoint_auth_methods_supported;
    const isBasic = offered?.includes('client_secret_basic') && !offered.includes('client_secret_post');
    (isBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret))(server, client, body, headers);
  };

/** The gateway as a client of the provider. */
export class Client {
  readonly #library: Library;
  readonly #configuration: Configuration;
  readonly #options: SignInOptions;
  readonly #fetch: SmallFetch;
  #keys: { readonly readMs: number; readonly verify: import('jose').JWTVerifyGetKey } | undefined;

  constructor(library: Library, configuration: Configuration, options: SignInOptions, fetch: SmallFetch) {
    this.#library = library;
    this.#configuration = configuration;
    this.#options = options;
    this.#fetch = fetch;
  }

  get issuer(): string {
    return this.#configuration.serverMetadata().issuer;
  }

  async authorizationUrl(redirectUri: string, { state, nonce, verifier }: Checks): Promise<string> {
    const { scopes, authorization_parameters } = this.#options;
    const url = this.#library.buildAuthorizationUrl(this.#configuration, {
      ...authorization_parameters,
      redirect_uri: redirectUri,
      scope: [...new Set(['openid', ...scopes])].join(' '),
      state,
      nonce,
      code_challenge: await this.#library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /** @param url the redirect URI with the parameters that the browser brought. @throws {NotVouched} @throws {Fault} `unavailable` */
  async exchange(url: URL, { state, nonce, verifier }: Checks): Promise<Vouch> {
    return this.#vouched(async () => {
      const answer = await this.#library.authorizationCodeGrant(this.#configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return this.#read(answer, answer.claims()?.sub ?? '', {});
    });
  }

  /** @throws {NotVouched} where the grant is gone, or the answer is of somebody else. @throws {Fault} `unavailable` */
  async refresh(tokens: IssuedTokens & { readonly refresh_token: string }, subject: string): Promise<Vouch> {
    return this.#vouched(async () =>
      this.#read(await this.#library.refreshTokenGrant(this.#configuration, tokens.refresh_token), subject, tokens),
    );
  }

  /** Where a browser signs out at the provider; `undefined` for a provider without such an address. */
  signOutUrl(tokens: IssuedTokens, after: string): string | undefined {
    if (this.#configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return this.#library.buildEndSessionUrl(this.#configuration, {
      post_logout_redirect_uri: after,
      ...(tokens.id_token !== undefined && { id_token_hint: tokens.id_token }),
    }).href;
  }

  /** The claims of a logout token. @throws {NotVouched} for one that is not of this provider and for this gateway */
  async logoutToken(token: string, nowMs: number): Promise<Claims> {
    const { jwtVerify, errors } = await import('jose');
    const verified = async (isFresh: boolean) =>
      jwtVerify(token, await this.#signingKeys(isFresh, nowMs), {
        issuer: this.issuer,
        audience: this.#options.client_id,
        algorithms: [...signatures],
        maxTokenAge: LOGOUT_TOKEN_AGE_S,
        requiredClaims: ['iat', 'jti'],
        currentDate: new Date(nowMs),
      });
    try {
      const { payload } = await verified(false).catch((thrown: unknown) => {
        // The provider may have a new key. Whoever makes up keys does not make the gateway ask for them each time.
        const isOld = this.#keys !== undefined && nowMs >= this.#keys.readMs + KEYS_KEPT_MS;
        if (thrown instanceof errors.JWKSNoMatchingKey && isOld) return verified(true);
        throw thrown;
      });
      return payload;
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      throw new NotVouched('the logout token is not valid', { cause: thrown });
    }
  }

  async #signingKeys(isFresh: boolean, nowMs: number): Promise<import('jose').JWTVerifyGetKey> {
    if (this.#keys && !isFresh) return this.#keys.verify;
    const { createLocalJWKSet } = await import('jose');
    const { jwks_uri } = this.#configuration.serverMetadata();
    if (jwks_uri === undefined) throw new NotVouched('the provider names no keys');
    const { status, text } = await this.#fetch({
      method: 'GET',
      url: jwks_uri,
      headers: { accept: 'application/json' },
    });
    if (status !== 200) throw unreachable(new Error(`the keys were answered with HTTP ${status}`));
    this.#keys = { readMs: nowMs, verify: createLocalJWKSet(JSON.parse(text)) };
    return this.#keys.verify;
  }

  /** What the ID token does not say, the user info endpoint may. */
  async #read(answer: TokenAnswer, subject: string, before: IssuedTokens): Promise<Vouch> {
    const said: IDToken | undefined = answer.claims();
    if (said && said.sub !== subject) throw new NotVouched('the ID token is of somebody else');
    const { groups_claim } = this.#options;
    const isWhole = said && claimAt(said, groups_claim) !== undefined && said['email'] !== undefined;
    const hasMore = this.#configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!said && !hasMore) throw new NotVouched('the provider said nothing about the person');
    const more =
      isWhole || !hasMore ? {} : await this.#library.fetchUserInfo(this.#configuration, answer.access_token, subject);
    return {
      claims: { ...more, ...said },
      tokens: {
        refresh_token: answer.refresh_token ?? before.refresh_token,
        id_token: answer.id_token ?? before.id_token,
      },
    };
  }

  async #vouched<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      if (thrown instanceof NotVouched) throw thrown;
      const fault = faultIn(thrown);
      if (fault) throw unreachable(fault);
      throw new NotVouched('the provider did not vouch for the person', { cause: thrown });
    }
  }
}

/** The keys of the provider are read at most this often. */
const KEYS_KEPT_MS = 60_000;
/** A logout token is sent at once: OpenID Connect Back-Channel Logout 1.0, 2.6. */
export const LOGOUT_TOKEN_AGE_S = 300;
/** Asymmetric ones: no secret of a client signs for a provider. */
const signatures = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA'] as const;

/** A provider that is out of order says nothing about the person. @throws {Fault} `unavailable` */
function unlessBusy(answer: SmallAnswer): SmallAnswer {
  if (answer.status < 500 && answer.status !== 429) return answer;
  throw unreachable(new Error(`the identity provider answered HTTP ${answer.status}`));
}

/** The library wraps what the network layer threw. */
function faultIn(thrown: unknown): Fault | undefined {
  for (let it = thrown, depth = 0; it instanceof Error && depth < 5; it = it.cause, depth += 1)
    if (it instanceof Fault) return it;
  return undefined;
}

const unreachable = (cause: unknown) =>
  new Fault('unavailable', 'The identity provider cannot be reached. Try again in a minute, or ask an administrator.', {
    data: { reason: 'identity_provider' },
    cause,
  });
