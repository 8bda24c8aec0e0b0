import type { Backends } from './backends/backends.ts';
import { smallFetch } from './backends/net/smallFetch.ts';
import { createSealer } from './mcp/seal.ts';
import { type OAuthFacade, openOAuthFacade } from './oauth/facade.ts';
import type { GatewayOptions } from './options.ts';

export interface OAuthFacadeParts {
  readonly options: GatewayOptions;
  readonly backends: Backends;
  /** A key of 32 bytes for one purpose, the same on all replicas. */
  readonly subkey: (purpose: string) => Uint8Array;
}

/** Anybody may name such an address: public ones alone, and few at a time. */
const clientDocuments = { id: 'oauth client documents', name: 'OAuth client', allowPrivate: false, maxConcurrent: 8 };

/** Puts the authorization server for MCP clients together with the rest of the gateway. */
export function oauthFacade({ options, backends, subkey }: OAuthFacadeParts): OAuthFacade {
  const read = smallFetch(backends.pool, clientDocuments);
  return openOAuthFacade({
    sealer: createSealer(subkey('oauth')),
    clientSecretKey: subkey('oauth client secrets'),
    fetchDocument: (url) => read({ method: 'GET', url, headers: { accept: 'application/json' } }),
    trustedRedirects: options.trustedRedirects ?? [],
    clock: options.clock,
  });
}
