import type { InboundHeaders } from '../../../sidecar/gateway/backends/headers.ts';
import { keyGuard } from '../../../sidecar/gateway/backends/keyGuard.ts';

/** The key that authenticated every call of these tests: nothing that leaves may hold it. */
export const virtualKey = 'sk-canary-virtual-key-0001';

/** What a caller brings: by default nothing. */
export function inboundOf(headers: Readonly<Record<string, string>> = {}, bearer?: string): InboundHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { headers: new Map(entries), bearer, holdsKey: keyGuard([virtualKey]) };
}
