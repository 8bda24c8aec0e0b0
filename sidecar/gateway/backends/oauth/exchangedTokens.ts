import { Fault } from '../../../platform/faults.ts';
import { type BackendSecrets, labelOf, type McpRegistration } from '../registration.ts';
import { exchangeEndpoint } from './checkClient.ts';
import type { FetchFor } from './connect.ts';
import { type GrantedToken, grant, InvalidGrant } from './grants.ts';
import { present, resourceOf, scopeOf } from './resource.ts';
import { TokenCache } from './tokenCache.ts';
import { clientOf, openTokenClient } from './tokenClient.ts';

const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const grants = {
  rfc8693: 'urn:ietf:params:oauth:grant-type:token-exchange',
  entra_obo: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
} as const;

export interface ExchangedTokensDeps {
  readonly fetchFor: FetchFor;
  readonly nowMs: () => number;
  /** HMAC under a secret of this gateway: no token is a key of the cache. */
  readonly fingerprint: (text: string) => string;
}

export interface ExchangeRequest {
  readonly server: McpRegistration;
  readonly secrets: BackendSecrets;
  /** The caller's own token. Whoever asks made sure that it is no virtual key. */
  readonly subject: string;
  readonly refused?: string | undefined;
  readonly signal: AbortSignal;
}

/** RFC 8693 and its `entra_obo` relative: one token for each subject, server, scope, audience and profile. */
export class ExchangedTokens {
  readonly #deps: ExchangedTokensDeps;
  readonly #cache: TokenCache;

  constructor(deps: ExchangedTokensDeps) {
    this.#deps = deps;
    this.#cache = new TokenCache(deps.nowMs);
  }

  /** @throws {Fault} `auth_required` where the subject's token is refused, `unavailable` for other failures */
  token(request: ExchangeRequest): Promise<string> {
    const { server, secrets, subject } = request;
    const about = [subject, exchangeEndpoint(server, secrets), scopeOf(secrets), audienceOf(server, secrets)];
    const more = [profileOf(server, secrets), resourceOf(server, secrets), server.updated_at, typeOf(server, secrets)];
    const key = `${server.server_id}\u0000${this.#deps.fingerprint(JSON.stringify([...about, ...more]))}`;
    return this.#cache.token(key, request, () => this.#exchange(request));
  }

  forget(serverId: string): void {
    this.#cache.forget(`${serverId}\u0000`);
  }

  async #exchange({ server, secrets, subject }: ExchangeRequest): Promise<GrantedToken> {
    const endpoint = exchangeEndpoint(server, secrets);
    const own = clientOf(secrets, undefined);
    if (endpoint === undefined || !own) throw unusable(server);
    const authorizationServer = { issuer: server.issuer || new URL(endpoint).origin, token_endpoint: endpoint };
    const client = await openTokenClient(authorizationServer, own, this.#deps.fetchFor(server));
    const profile = profileOf(server, secrets);
    try {
      const granted = await grant(client, this.#deps.nowMs, ({ library, configuration }) =>
        library.genericGrantRequest(configuration, grants[profile], this.#parameters(server, secrets, subject)),
      );
      if (profile === 'rfc8693' && granted.issuedTokenType === undefined) throw unusable(server);
      return granted;
    } catch (thrown) {
      if (thrown instanceof InvalidGrant) throw subjectRefused(server);
      throw thrown;
    }
  }

  #parameters(server: McpRegistration, secrets: BackendSecrets, subject: string): Record<string, string> {
    const scope = scopeOf(secrets);
    if (profileOf(server, secrets) === 'entra_obo') {
      return present({ assertion: subject, requested_token_use: 'on_behalf_of', scope });
    }
    return present({
      subject_token: subject,
      subject_token_type: typeOf(server, secrets),
      audience: audienceOf(server, secrets),
      resource: resourceOf(server, secrets),
      scope,
    });
  }
}

const audienceOf = (server: McpRegistration, secrets: BackendSecrets) =>
  server.audience || secrets.audience || undefined;

const typeOf = (server: McpRegistration, secrets: BackendSecrets) =>
  server.subject_token_type || secrets.subject_token_type || accessToken;

const profileOf = (server: McpRegistration, secrets: BackendSecrets) =>
  (server.token_exchange_profile || secrets.token_exchange_profile) === 'entra_obo' ? 'entra_obo' : 'rfc8693';

const unusable = (server: McpRegistration) =>
  new Fault('unavailable', `The token exchange for '${labelOf(server)}' did not return a usable token.`, {
    data: { reason: 'authorization_server' },
  });

const subjectRefused = (server: McpRegistration) =>
  new Fault('auth_required', `The authorization server for '${labelOf(server)}' did not accept your token.`, {
    data: { reason: 'subject_token_refused', server_id: server.server_id },
  });
