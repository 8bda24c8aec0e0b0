import type { IncomingMessage } from 'node:http';
import type { HeaderList } from '../auth/headerList.ts';
import { plainAddress } from '../auth/networks.ts';
import type { TrustedProxies } from './trustedProxies.ts';

/** Never for surfaces or backends: what could authenticate, and what is this gateway's and never a caller's to say. */
const hidden: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-mcp-toolset-id']);

/** What surfaces and backends may see: without cookies, internal headers, and the one that held the key. */
export function visibleHeaders(list: HeaderList, credentialHeader: string | undefined): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of list) if (name !== credentialHeader && !hidden.has(name)) headers.set(name, value);
  return headers;
}

/**
 * Whose address a request comes from. `X-Forwarded-For` is believed only from proxies that the configuration names, from
 * the nearest hop on.
 */
export function clientAddress(
  message: Pick<IncomingMessage, 'socket'>,
  headers: HeaderList,
  isTrusted: TrustedProxies,
): string {
  const peer = plainAddress(message.socket.remoteAddress ?? '');
  if (!isTrusted(peer)) return peer;
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((it) => plainAddress(it.trim()));
  return hops.findLast((it) => it !== '' && !isTrusted(it)) ?? peer;
}
