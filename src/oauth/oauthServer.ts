import * as library from 'openid-client';
import { isLoopback } from '../platform/loopback.ts';
import { type CodeSignIn as BegunCodeSignIn, beginCodeSignIn } from './codeSignIn.ts';
import { OAuthRefusal, refusalOf, refusing } from './refusal.ts';

/** Us, as an authorization server knows us. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The address for which it was registered. */
  readonly redirect?: string;
}
/** What a person's sign-in gave. */
export interface Granted {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresInSeconds?: number;
  readonly scopes?: readonly string[];
}
export interface Wanted {
  readonly resource: string;
  readonly scopes: readonly string[];
}
export interface BrowserSignIn {
  /** Where the person signs in. */
  readonly url: string;
  /** Comes back with the answer: by it the answer is known. */
  readonly state: string;
  /** @param answer the query with which the browser came back. @throws {OAuthRefusal} */
  finish(answer: URLSearchParams): Promise<Granted>;
}
/** A code to type elsewhere, as {@link beginCodeSignIn} makes it. */
export interface CodeSignIn extends Pick<BegunCodeSignIn, 'userCode' | 'url'> {
  /** Settles when the person is done. @throws {OAuthRefusal}, or the reason of `signal` */
  finish(signal: AbortSignal): Promise<Granted>;
}

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** An authorization server whose metadata were read. Keeps nothing of what it is handed. */
export class OAuthServer {
  readonly issuer: string;
  readonly #metadata: library.ServerMetadata;
  readonly #options: library.DynamicClientRegistrationRequestOptions;

  private constructor(
    issuer: string,
    metadata: library.ServerMetadata,
    options: library.DynamicClientRegistrationRequestOptions,
  ) {
    this.issuer = issuer;
    this.#metadata = metadata;
    this.#options = options;
  }

  /**
   * Reads the metadata (RFC 8414, or OpenID Connect Discovery), which must name the very issuer that was asked for.
   * @throws {OAuthRefusal} `unreachable` where there are none; `insecure` for plain http that leaves this machine
   */
  static async discover(issuer: string): Promise<OAuthServer> {
    const url = new URL(issuer);
    const isHere = isLoopback(url.hostname);
    if (url.protocol !== 'https:' && !isHere) throw new OAuthRefusal('insecure', 'its address is not https');
    const reasons: unknown[] = [];
    for (const algorithm of ['oauth2', 'oidc'] as const) {
      const options = { algorithm, ...(isHere && { execute: [library.allowInsecureRequests] }) };
      try {
        const found = await library.discovery(url, 'unknown', undefined, library.None(), options);
        return new OAuthServer(issuer, found.serverMetadata(), options);
      } catch (thrown) {
        reasons.push(thrown);
      }
    }
    throw new OAuthRefusal('unreachable', 'its metadata could not be read', { reasons });
  }

  get canUseBrowser(): boolean {
    return this.#metadata.authorization_endpoint !== undefined;
  }
  get canUseCode(): boolean {
    return this.#metadata.device_authorization_endpoint !== undefined;
  }

  /** Introduces us (RFC 7591). @throws {OAuthRefusal} also where the server takes nobody whom it does not know */
  async register(redirect: string): Promise<OAuthClient> {
    if (this.#metadata.registration_endpoint === undefined)
      throw new OAuthRefusal('no_registration', 'it takes no programs that it does not know');
    const grants = ['authorization_code', 'refresh_token', ...(this.canUseCode ? [DEVICE] : [])];
    const known = this.#metadata.grant_types_supported;
    const registered = await refusing(() =>
      library.dynamicClientRegistration(
        new URL(this.issuer),
        {
          client_name: 'Switchboard',
          application_type: 'native',
          redirect_uris: [redirect],
          response_types: ['code'],
          grant_types: grants.filter((it) => known === undefined || known.includes(it)),
          token_endpoint_auth_method: 'none',
        },
        library.None(),
        this.#options,
      ),
    );
    const { client_id, client_secret } = registered.clientMetadata();
    return { clientId: client_id, redirect, ...(client_secret !== undefined && { clientSecret: client_secret }) };
  }

  /** The code flow with PKCE (RFC 7636), for one resource (RFC 8707). */
  async viaBrowser(client: OAuthClient, redirect: string, wanted: Wanted): Promise<BrowserSignIn> {
    const configuration = this.#as(client);
    const verifier = library.randomPKCECodeVerifier();
    const state = library.randomState();
    const url = library.buildAuthorizationUrl(configuration, {
      ...parametersOf(wanted),
      redirect_uri: redirect,
      state,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return {
      url: url.href,
      state,
      finish: async (answer) => {
        // The library takes the redirect address from the callback without its query, which editors put their own into.
        const code = this.#codeOf(answer, state);
        const parameters = { code, redirect_uri: redirect, code_verifier: verifier, resource: wanted.resource };
        return this.#granted(() => library.genericGrantRequest(configuration, 'authorization_code', parameters));
      },
    };
  }

  /** The device flow (RFC 8628): a code to type elsewhere. @throws {OAuthRefusal} */
  async viaCode(client: OAuthClient, wanted: Wanted): Promise<CodeSignIn> {
    const begun = await beginCodeSignIn(this.#as(client), parametersOf(wanted), wanted.resource);
    return { ...begun, finish: (signal) => this.#granted(() => begun.finish(signal)) };
  }

  /** @throws {OAuthRefusal} `invalid_grant` when the person has to sign in again */
  async refresh(client: OAuthClient, refreshToken: string, resource: string): Promise<Granted> {
    const answer = await this.#granted(() => library.refreshTokenGrant(this.#as(client), refreshToken, { resource }));
    return { refreshToken, ...answer }; // a server that does not rotate sends none
  }

  /** Ends a token where the server has a way to (RFC 7009). @throws {OAuthRefusal} */
  async revoke(client: OAuthClient, token: string): Promise<void> {
    if (this.#metadata.revocation_endpoint === undefined) return;
    await refusing(() => library.tokenRevocation(this.#as(client), token));
  }

  #as({ clientId, clientSecret }: OAuthClient): library.Configuration {
    const auth = clientSecret === undefined ? library.None() : library.ClientSecretPost(clientSecret);
    const configuration = new library.Configuration(this.#metadata, clientId, undefined, auth);
    for (const it of this.#options.execute ?? []) it(configuration);
    return configuration;
  }

  /** RFC 6749, 4.1.2, and RFC 9207: an answer of another server than the one that was asked is no answer. */
  #codeOf(answer: URLSearchParams, state: string): string {
    if (answer.get('state') !== state) throw new OAuthRefusal('wrong_state', 'its answer belongs to another sign-in');
    const issuer = answer.get('iss');
    const mustName = this.#metadata.authorization_response_iss_parameter_supported === true;
    if (issuer === null ? mustName : issuer !== this.#metadata.issuer)
      throw new OAuthRefusal('wrong_issuer', 'the answer comes from another server');
    const error = answer.get('error');
    if (error !== null) throw refusalOf(error);
    const code = answer.get('code');
    if (code === null) throw new OAuthRefusal('no_code', 'it did not let you in');
    return code;
  }

  async #granted(ask: () => Promise<library.TokenEndpointResponse>): Promise<Granted> {
    const { access_token, refresh_token, expires_in, scope } = await refusing(ask);
    return {
      accessToken: access_token,
      ...(refresh_token !== undefined && { refreshToken: refresh_token }),
      ...(expires_in !== undefined && expires_in > 0 && { expiresInSeconds: expires_in }),
      ...(scope !== undefined && { scopes: scope.split(' ').filter((it) => it !== '') }),
    };
  }
}

function parametersOf({ resource, scopes }: Wanted): Record<string, string> {
  return { resource, ...(scopes.length > 0 && { scope: scopes.join(' ') }) };
}
