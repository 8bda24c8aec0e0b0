import type { RequestHeaders } from '../../platform/httpMessages.ts';

/** The headers of a caller that are forwarded. None of them identifies anybody (`gateway.cloud.no-end-user`). */
const forwarded = ['accept', 'content-type', 'idempotency-key', 'last-event-id', 'user-agent'] as const;

/** Of the service's headers these stay: what belongs to one connection, and what would bind the caller to the service. */
const kept = new Set([
  'alt-svc',
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'set-cookie',
  'strict-transport-security',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * @param credential the service's own key: it is the username of HTTP Basic, with an empty password
 * @param holdsKey whether a text holds the caller's virtual key, which never leaves
 */
export function requestHeaders(
  caller: Pick<RequestHeaders, 'get'>,
  credential: string,
  holdsKey: (text: string) => boolean,
): Record<string, string> {
  const headers: Record<string, string> = {
    authorization: `Basic ${Buffer.from(`${credential}:`).toString('base64')}`,
  };
  for (const name of forwarded) {
    const value = caller.get(name);
    if (value !== null && !holdsKey(value)) headers[name] = value;
  }
  return headers;
}

export function responseHeaders(
  upstream: Readonly<Record<string, string | readonly string[] | undefined>>,
): readonly (readonly [string, string])[] {
  return Object.entries(upstream).flatMap(([name, value]) =>
    value === undefined || kept.has(name.toLowerCase())
      ? []
      : (typeof value === 'string' ? [value] : value).map((it) => [name, it] as const),
  );
}
