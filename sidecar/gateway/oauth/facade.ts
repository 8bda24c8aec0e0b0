import type { Clock } from '../../platform/clock.ts';
import { pathSegments } from '../../platform/pathSegments.ts';
import type { Sealer } from '../mcp/seal.ts';
import { hasOwnEndpoints } from './addresses.ts';
import { ClientDocuments, type FetchDocument } from './clientDocuments.ts';
import { Clients } from './clients.ts';
import { discoveryDocument } from './documents.ts';
import { OAuthRefusal, refusalResponse } from './refusal.ts';
import { register } from './register.ts';

export interface OAuthDeps {
  readonly sealer: Sealer;
  /** Makes the secrets of clients; 32 bytes, the same on all replicas, for nothing else. */
  readonly clientSecretKey: Uint8Array;
  readonly fetchDocument: FetchDocument;
  /** Redirect addresses beside https and this computer, each to the letter. */
  readonly trustedRedirects: readonly string[];
  readonly clock: Clock;
}

/** What is known of a request that nobody has signed. */
export interface OpenRequestFacts {
  /** As the client reaches us, without a slash at its end. */
  readonly baseUrl: string;
}

/** The gateway as an authorization server for MCP clients (completion 1.12). */
export interface OAuthFacade {
  /** Discovery and OAuth endpoints. @returns `undefined` where there is nothing at this address */
  open(request: Request, facts: OpenRequestFacts): Promise<Response | undefined>;
}

/** @throws nothing; what a client does wrong is answered in the words of OAuth */
export function openOAuthFacade(deps: OAuthDeps): OAuthFacade {
  const { clock, trustedRedirects } = deps;
  const documents = new ClientDocuments(deps.fetchDocument, clock);
  const clients = new Clients({ sealer: deps.sealer, secretKey: deps.clientSecretKey, documents });

  async function answer(request: Request, { baseUrl }: OpenRequestFacts): Promise<Response | undefined> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/.well-known/')) {
      const document = request.method === 'GET' ? discoveryDocument(pathname, baseUrl) : undefined;
      return document && Response.json(document, { headers: { 'cache-control': 'no-cache' } });
    }
    const endpoint = endpointOf(pathname);
    if (endpoint === 'register' && request.method === 'POST') {
      return register(request, { clients, trustedRedirects, nowMs: () => clock.nowMs() });
    }
    return undefined;
  }

  return {
    open: (request, facts) =>
      answer(request, facts).catch((thrown: unknown) => {
        if (thrown instanceof OAuthRefusal) return refusalResponse(thrown);
        throw thrown;
      }),
  };
}

/** `/register` and `/{s}/register` alike. A name that has no endpoints of its own has none here. */
function endpointOf(pathname: string): string | undefined {
  const segments = pathSegments(pathname) ?? [];
  if (segments.length === 1) return segments[0];
  const [name = '', endpoint] = segments;
  return segments.length === 2 && hasOwnEndpoints(name) ? endpoint : undefined;
}
