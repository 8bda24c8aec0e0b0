import { createPrivateKey } from 'node:crypto';
import type { ClientAuth, Configuration } from 'openid-client';
import { Fault } from '../../../platform/faults.ts';
import type { SmallFetch } from '../net/smallFetch.ts';
import type { BackendSecrets } from '../registration.ts';
import type { AuthorizationServer } from './discovery.ts';
import { libraryFetch } from './libraryFetch.ts';
import type { RegisteredClient } from './stores.ts';

type Library = typeof import('openid-client');
type SigningKey = Extract<Parameters<Library['PrivateKeyJwt']>[0], { type: string }>;

/** How we authenticate at a token endpoint: the registration's own client, or the one that was registered for it. */
export interface OAuthClient {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
  readonly private_key?:
    | { readonly pem: string; readonly id?: string | undefined; readonly algorithm: string }
    | undefined;
}

/** `credentials` count before a client that registered itself. Undefined where there is neither. */
export function clientOf(secrets: BackendSecrets, registered: RegisteredClient | undefined): OAuthClient | undefined {
  if (!secrets.client_id) return registered;
  return {
    client_id: secrets.client_id,
    client_secret: secrets.client_secret ?? undefined,
    token_endpoint_auth_method: secrets.token_endpoint_auth_method ?? undefined,
    ...(secrets.client_private_key && {
      private_key: {
        pem: secrets.client_private_key,
        id: secrets.client_private_key_id ?? undefined,
        algorithm: secrets.client_assertion_signing_alg ?? 'RS256',
      },
    }),
  };
}

export interface TokenClient {
  readonly library: Library;
  readonly configuration: Configuration;
}

/** @throws {Fault} `invalid_params` for a private key that cannot be read */
export async function openTokenClient(
  server: AuthorizationServer,
  client: OAuthClient,
  fetch: SmallFetch,
): Promise<TokenClient> {
  const library = await import('openid-client');
  const { client_id, client_secret } = client;
  const {
    scopes_supported,
    code_challenge_methods_supported,
    token_endpoint_auth_methods_supported: offered,
    resource: _,
    ...rest
  } = server;
  const metadata = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    issuer: server.issuer,
    ...(scopes_supported && { scopes_supported: [...scopes_supported] }),
    ...(code_challenge_methods_supported && {
      code_challenge_methods_supported: [...code_challenge_methods_supported],
    }),
  };
  const known = client_secret === undefined ? {} : { client_secret };
  const configuration = new library.Configuration(
    metadata,
    client_id,
    known,
    await clientAuth(library, client, offered),
  );
  // Which addresses may be plain http is judged when they are registered and by the guard of the fetch.
  library.allowInsecureRequests(configuration);
  configuration[library.customFetch] = libraryFetch(fetch, withoutIdToken);
  return { library, configuration };
}

/**
 * We ask for access to a server, not who somebody is: an ID token is not read, so it is not checked either, and a server
 * that signs it by another algorithm or clock still gives its access token.
 */
function withoutIdToken(text: string): string {
  if (!text.includes('"id_token"')) return text;
  try {
    const { id_token: _, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  } catch {
    return text; // the library says what is wrong with it
  }
}

/** @param offered by the server: a registration that names no method means `client_secret_post`, where that is to be had */
async function clientAuth(
  library: Library,
  client: OAuthClient,
  offered: readonly string[] | undefined,
): Promise<ClientAuth> {
  if (client.private_key) {
    const key = await importKey(client.private_key);
    return library.PrivateKeyJwt(client.private_key.id === undefined ? key : { key, kid: client.private_key.id });
  }
  if (client.client_secret === undefined || client.token_endpoint_auth_method === 'none') return library.None();
  const needsBasic = offered?.includes('client_secret_basic') && !offered.includes('client_secret_post');
  const method = client.token_endpoint_auth_method ?? (needsBasic ? 'client_secret_basic' : 'client_secret_post');
  return method === 'client_secret_basic'
    ? secretBasic(client.client_id, client.client_secret)
    : library.ClientSecretPost(client.client_secret);
}

/**
 * RFC 6749, 2.3.1, with no more encoded than a form needs: many servers decode nothing, and ids with a hyphen are common.
 * The library's own encodes those too.
 */
function secretBasic(id: string, secret: string): ClientAuth {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  const credentials = Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}

const keyKinds: Readonly<Record<string, Parameters<typeof crypto.subtle.importKey>[2]>> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
};

async function importKey({ pem, algorithm }: { pem: string; algorithm: string }): Promise<SigningKey> {
  const kind = keyKinds[algorithm];
  try {
    if (kind === undefined) throw new Error('unknown algorithm');
    const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
    return (await crypto.subtle.importKey('pkcs8', der, kind, false, ['sign'])) as SigningKey;
  } catch {
    // The library's message may quote the key, so it is not a cause either.
    throw new Fault('invalid_params', `'credentials.client_private_key' is not a valid private key for ${algorithm}.`, {
      data: { field: 'credentials.client_private_key' },
    });
  }
}
