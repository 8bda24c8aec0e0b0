import type { RequestHeaders } from '../../../platform/httpMessages.ts';
import { nameOf } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';

const shown = ['x-gateway-api-key', 'authorization'];
const maxServers = 32;
const none: Readonly<Record<string, string>> = {};
const refused = "this key is not allowed to receive debug headers. To allow them, set 'allow_debug' on the key";

/**
 * What a caller with debug rights learns about how its call was sent (`gateway.header.debug.mcp`).
 *
 * @param headers those of the request, before credentials were taken off
 */
export function debugHeaders(
  { context, ways }: McpRequest,
  headers: Pick<RequestHeaders, 'get'>,
): Readonly<Record<string, string>> {
  if (context.caller.isDebugRefused) return { 'x-mcp-debug-refused': refused };
  if (!context.caller.debug) return none;
  const inbound = shown.map((it) => `${it}=${maskCredential(headers.get(it))}`).join('; ');
  const resolutions = new Map(
    ways.map(({ server, outbound }) => [nameOf(server), outbound.resolution ?? 'unresolved']),
  );
  const [first] = resolutions.values();
  const words = new Set(resolutions.values());
  const last = ways.at(-1)?.server;
  const listed = [...resolutions].slice(0, maxServers);
  const token = headers.get('authorization');
  const isKey = token !== null && token === headers.get('x-gateway-api-key');
  return {
    'x-mcp-debug-inbound-auth': inbound,
    'x-mcp-debug-oauth2-token': `${maskCredential(token)}${isKey ? ' (equals the gateway key)' : ''}`,
    'x-mcp-debug-auth-resolution': words.size > 1 ? 'multiple' : (first ?? 'not-applicable'),
    'x-mcp-debug-auth-resolutions': JSON.stringify({
      ...Object.fromEntries(listed),
      ...(resolutions.size > maxServers && { truncated: true }),
    }),
    ...(last && {
      'x-mcp-debug-outbound-url': plainUrl(last.url),
      'x-mcp-debug-server-auth-type': last.auth_type ?? 'none',
    }),
  };
}

/** The scheme and the last four characters. */
export function maskCredential(value: string | null): string {
  if (!value) return '(none)';
  const [scheme, ...rest] = value.split(' ');
  const secret = rest.join(' ');
  return secret === '' ? `***${lastOf(value)}` : `${scheme} ***${lastOf(secret)}`;
}

/** Of a short secret four characters are too many. */
const lastOf = (secret: string) => (secret.length >= 16 ? secret.slice(-4) : '');

function plainUrl(url: string | null | undefined): string {
  if (!url || !URL.canParse(url)) return '(none)';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
