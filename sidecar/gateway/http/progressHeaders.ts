import type { ResponseHeaders } from '../../platform/httpMessages.ts';
import type { Progress, RateStanding } from '../auth/progress.ts';

/**
 * Adds headers about the call: the state of the caller's tightest limits of the minute, what the key has spent, how
 * long the answer took and how much of that was the gateway's. `reset` is in seconds. A header that the backend set
 * itself stays.
 */
export function addProgressHeaders(headers: ResponseHeaders, progress: Progress, nowMs: number): void {
  const rates = progress.rates();
  if (rates.length > 0) for (const kind of kinds) addRate(headers, kind, rates, nowMs);
  const spend = progress.keySpend();
  if (spend !== undefined) headers.set('x-gateway-key-spend', String(hundredMillionths(spend)));
  headers.set('x-gateway-response-duration-ms', hundredths(progress.responseMs));
  headers.set('x-gateway-overhead-duration-ms', hundredths(progress.overheadMs));
}

/** With two decimal places. `toFixed` takes many times as long. */
function hundredths(ms: number): string {
  const all = Math.round(ms * 100);
  const part = all % 100;
  return `${(all - part) / 100}.${part < 10 ? '0' : ''}${part}`;
}

/** Without the rounding errors of many small additions. */
function hundredMillionths(usd: number): number {
  const all = usd * 1e8;
  return all < Number.MAX_SAFE_INTEGER ? Math.round(all) / 1e8 : usd;
}

const kinds = ['requests', 'tokens'] as const;

function addRate(
  headers: ResponseHeaders,
  kind: RateStanding['kind'],
  rates: readonly RateStanding[],
  nowMs: number,
): void {
  const tightest = rates.filter((it) => it.kind === kind).reduce(tighter, undefined);
  if (!tightest || headers.has(`x-ratelimit-limit-${kind}`)) return;
  headers.set(`x-ratelimit-limit-${kind}`, String(tightest.limit));
  headers.set(`x-ratelimit-remaining-${kind}`, String(Math.max(0, Math.floor(tightest.remaining))));
  headers.set(`x-ratelimit-reset-${kind}`, String(Math.max(0, Math.ceil((tightest.resetsAtMs - nowMs) / 1_000))));
}

const tighter = (one: RateStanding | undefined, other: RateStanding): RateStanding =>
  one && one.remaining <= other.remaining ? one : other;
