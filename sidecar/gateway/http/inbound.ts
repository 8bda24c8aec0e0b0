import type { IncomingMessage } from 'node:http';
import type { HeaderList } from '../auth/headerList.ts';
import type { TrustedProxies } from './trustedProxies.ts';

/** Headers as they came, in order and with repetitions. */
export function headerListOf({ rawHeaders }: IncomingMessage): HeaderList {
  const list: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) list.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return list;
}

export const valuesOf = (list: HeaderList, name: string): readonly string[] =>
  list.filter(([it]) => it.toLowerCase() === name).map(([, value]) => value);

/** Of this gateway, never a caller's to say. */
const internal: ReadonlySet<string> = new Set(['x-mcp-toolset-id']);

/** What surfaces and backends may see: without cookies, internal headers, and the one that held the key. */
export function visibleHeaders(list: HeaderList, credentialHeader: string | undefined): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of list) {
    const lower = name.toLowerCase();
    if (lower === credentialHeader || lower === 'authorization' || lower === 'cookie' || internal.has(lower)) continue;
    const before = headers.get(lower);
    headers.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/**
 * Whose address a request comes from. `X-Forwarded-For` is believed only from proxies that the configuration names, from
 * the nearest hop on.
 */
export function clientAddress(
  message: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  isTrusted: TrustedProxies,
): string {
  const peer = plainAddress(message.socket.remoteAddress ?? '');
  if (!isTrusted(peer)) return peer;
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((it) => plainAddress(it.trim()));
  return hops.findLast((it) => it !== '' && !isTrusted(it)) ?? peer;
}

const plainAddress = (address: string) => address.replace(/^::ffff:/i, '');
