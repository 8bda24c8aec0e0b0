import { Fault } from '../../../platform/faults.ts';
import { type BackendSecrets, labelOf, type McpRegistration } from '../registration.ts';
import type { FetchFor } from './connect.ts';
import { findAuthorizationServer } from './discovery.ts';
import { type GrantedToken, grant, InvalidGrant } from './grants.ts';
import { present, resourceOf, scopeOf } from './resource.ts';
import { TokenCache } from './tokenCache.ts';
import { clientOf, openTokenClient } from './tokenClient.ts';

export interface ClientTokensDeps {
  readonly fetchFor: FetchFor;
  readonly nowMs: () => number;
}

export interface ClientTokenRequest {
  readonly server: McpRegistration;
  readonly secrets: BackendSecrets;
  readonly refused?: string | undefined;
  readonly signal: AbortSignal;
}

/** `oauth2_flow: client_credentials`: one token for each server, in memory, until a minute before its end. */
export class ClientTokens {
  readonly #deps: ClientTokensDeps;
  readonly #cache: TokenCache;

  constructor(deps: ClientTokensDeps) {
    this.#deps = deps;
    this.#cache = new TokenCache(deps.nowMs);
  }

  /** @throws {Fault} `unavailable` where the authorization server gives none */
  token({ server, secrets, refused, signal }: ClientTokenRequest): Promise<string> {
    const key = `${server.server_id}\u0000${server.updated_at ?? ''}`;
    return this.#cache.token(key, { refused, signal }, () => this.#fetch(server, secrets));
  }

  forget(serverId: string): void {
    this.#cache.forget(`${serverId}\u0000`);
  }

  async #fetch(server: McpRegistration, secrets: BackendSecrets): Promise<GrantedToken> {
    const fetch = this.#deps.fetchFor(server);
    const own = clientOf(secrets, undefined);
    if (!own) throw noClient(server);
    const client = await openTokenClient(await findAuthorizationServer(server, fetch), own, fetch);
    const parameters = present({
      scope: scopeOf(secrets),
      resource: resourceOf(server, secrets),
      audience: server.audience ?? secrets.audience ?? undefined,
    });
    try {
      return await grant(client, this.#deps.nowMs, ({ library, configuration }) =>
        library.clientCredentialsGrant(configuration, parameters),
      );
    } catch (thrown) {
      if (!(thrown instanceof InvalidGrant)) throw thrown;
      throw new Fault('unavailable', `The authorization server for '${labelOf(server)}' returned 'invalid_grant'.`, {
        data: { reason: 'authorization_server', error: 'invalid_grant' },
      });
    }
  }
}

const noClient = (server: McpRegistration) =>
  new Fault('invalid_params', `'credentials.client_id' is missing for '${labelOf(server)}'.`, {
    data: { field: 'credentials.client_id' },
  });
