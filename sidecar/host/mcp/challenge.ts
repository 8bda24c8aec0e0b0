import type { discoverOAuthProtectedResourceMetadata, FetchLike } from '@modelcontextprotocol/client';
import { Fault } from '../../platform/faults.ts';
import type { McpAuthRequirement } from '../../protocol/channels/chat/toolCalls.ts';
import { ProtectedResourceMetadata } from '../../protocol/shared.ts';
import type { HttpServer } from './serverConfig.ts';

/** A server wants another token than the one it got, or one at all. */
export class Challenge extends Error {
  override readonly name = 'Challenge';
  readonly response: Response;
  /** The token that the request went out with. */
  readonly sent: string | undefined;

  constructor(response: Response, sent: string | undefined) {
    super('the server requires a token');
    this.response = response;
    this.sent = sent;
  }
}

/** The challenge because of which something failed, however deep it lies. */
export function challengeIn(thrown: unknown): Challenge | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if (at instanceof Challenge) return at;
  }
  return undefined;
}

/** Sends with the token of now, and throws a {@link Challenge} where the server wants another. */
export function fetchWithToken(token: () => string | undefined): FetchLike {
  return async (url, init = {}) => {
    const current = token();
    const headers = new Headers(init.headers);
    if (current !== undefined) headers.set('authorization', `Bearer ${current}`);
    const response = await fetch(url, { ...init, headers });
    const challenge = response.headers.get('www-authenticate') ?? '';
    const asks = response.status === 401 || (response.status === 403 && /insufficient_scope/i.test(challenge));
    if (!asks) return response;
    await response.body?.cancel();
    throw new Challenge(response, current);
  };
}

interface OAuthParts {
  readonly extractWWWAuthenticateParams: (response: Response) => { resourceMetadataUrl?: URL; scope?: string };
  readonly discoverOAuthProtectedResourceMetadata: typeof discoverOAuthProtectedResourceMetadata;
  readonly checkResourceAllowed: (resources: { requestedResource: string; configuredResource: string }) => boolean;
}

/**
 * What a token for the server must fulfil, by its challenge (RFC 6750, section 3) and its metadata (RFC 9728).
 * @throws {Fault} `forbidden` when the server claims to be part of something else: a token for that would be stolen
 */
export async function requirementOf(
  { response, sent }: Challenge,
  { url, oauthClient }: HttpServer,
  parts: OAuthParts,
): Promise<McpAuthRequirement> {
  const { resourceMetadataUrl, scope } = parts.extractWWWAuthenticateParams(response);
  const found: unknown = await parts
    .discoverOAuthProtectedResourceMetadata(url, resourceMetadataUrl ? { resourceMetadataUrl } : {})
    .catch(() => undefined); // a server from before RFC 9728 is its own authorization server
  const own = { resource: url, authorization_servers: [new URL(url).origin] };
  const metadata = ProtectedResourceMetadata.safeParse(found).success ? (found as ProtectedResourceMetadata) : own;
  if (!parts.checkResourceAllowed({ requestedResource: url, configuredResource: metadata.resource }))
    throw new Fault(
      'forbidden',
      "The MCP server's metadata describes a different resource, so no token was requested.",
    );
  const scopes = scope?.split(' ').filter((it) => it !== '') ?? [];
  return {
    reason: response.status === 403 ? 'insufficientScope' : sent === undefined ? 'required' : 'expired',
    resource: metadata,
    ...(oauthClient && { oauthClient }),
    ...(scopes.length > 0 && { requiredScopes: scopes }),
  };
}
