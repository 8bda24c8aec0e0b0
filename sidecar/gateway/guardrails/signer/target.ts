import { Fault } from '../../../platform/faults.ts';
import { authTypeOf } from '../../../protocol/gateway/authTypes/index.ts';
import type { McpServer } from '../../mcp/mcpDeps.ts';

/** Where the assertion goes when `Authorization` belongs to the server's auth_type. */
export const assertionHeader = 'x-gateway-assertion';
export const channelHeader = 'x-mcp-channel-token';

/**
 * The canonical address of a server (RFC 8707, 2): lower-case scheme and host, no userinfo, query or fragment, no slash
 * at the end.
 * @throws {Fault} `unavailable` for a server without an address
 */
export function audienceOf({ url }: McpServer): string {
  if (!url || !URL.canParse(url))
    throw new Fault('unavailable', 'The MCP server has no URL to use as the token audience.');
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}

/**
 * The header for the assertion, lower case: the configured one, unless this server has another source for it. Then both
 * are sent, so that signing works beside every auth_type (`gateway.signer.composes`).
 */
export function headerFor(server: McpServer, configured = 'authorization'): string {
  const header = configured.toLowerCase();
  return isTaken(server, header) ? assertionHeader : header;
}

function isTaken(server: McpServer, header: string): boolean {
  const { auth_type, static_headers, extra_headers } = server;
  const names = [...Object.keys(static_headers ?? {}), ...(extra_headers ?? [])];
  if (names.some((it) => it.trim().toLowerCase() === header)) return true;
  if (header === 'authorization' && (server.delegate_auth_to_upstream || server.oauth_passthrough)) return true;
  return authTypeOf(auth_type)?.owns.includes(header) ?? false;
}

/** As `Authorization` carries it, or bare. */
export const headerValue = (header: string, token: string): string =>
  header === 'authorization' ? `Bearer ${token}` : token;
