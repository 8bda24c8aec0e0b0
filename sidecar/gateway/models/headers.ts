import type { ModelProviderDefinition } from '../../protocol/gateway/modelProviders/definition.ts';
import type { HoldsKey } from '../backends/keyGuard.ts';

/** Response headers that are forwarded for every provider. */
const kept = ['content-type', 'retry-after', 'x-should-retry', 'cache-control'] as const;

/**
 * The headers of a request to a provider: those that its definition forwards, and its credential. Responses must not be compressed,
 * because their tokens are read as they pass.
 *
 * @param inbound headers of the caller, without the one that held its key
 */
export function requestHeaders(
  inbound: ReadonlyMap<string, string>,
  { auth, addedHeaders, requestHeaders: passed }: ModelProviderDefinition,
  key: string | undefined,
  holdsKey: HoldsKey,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    accept: inbound.get('accept') ?? '*/*',
    ...addedHeaders,
  };
  for (const name of passed) {
    const value = inbound.get(name);
    if (value !== undefined && !holdsKey(value)) headers[name] = value;
  }
  if (holdsKey(headers['accept'] ?? '')) headers['accept'] = '*/*';
  if (key !== undefined) headers[auth.header] = auth.scheme === undefined ? key : `${auth.scheme} ${key}`;
  return headers;
}

/** @param isWhole no byte is removed, so the provider's `content-length` applies */
export function responseHeaders(
  answered: Readonly<Record<string, string | string[] | undefined>>,
  { responseHeaders: passed }: ModelProviderDefinition,
  isWhole: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of [...kept, ...passed, ...(isWhole ? ['content-length'] : [])]) {
    const value = answered[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
