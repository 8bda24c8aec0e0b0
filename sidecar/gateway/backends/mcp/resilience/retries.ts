import type { RetrySettings } from '../../../../protocol/gateway/resilience.ts';
import type { BackendFailure } from '../failure.ts';

/** The defaults of what an administrator leaves open. */
export const retryDefaults = { backoff_ms: 200, max_backoff_ms: 5_000, budget_percent: 20 } as const;

/** So many retries are possible at once, however few requests there were. */
const SAVED = 10;

/** How many retries a server gets: a share of its requests, so that retries cannot multiply the load of one that fails. */
export class RetryBudget {
  readonly #share: number;
  #left = SAVED;

  constructor({ budget_percent }: RetrySettings) {
    this.#share = (budget_percent ?? retryDefaults.budget_percent) / 100;
  }

  /** A request that is no retry. */
  earn(): void {
    this.#left = Math.min(SAVED, this.#left + this.#share);
  }

  /** @returns false where there is nothing left */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/**
 * The pause before a retry: twice as long each time, and between half of that and all of it, so that callers that failed
 * together do not return together.
 *
 * @param tries that failed so far, at least 1
 * @param fraction from 0 to 1, by chance
 */
export function pauseMs({ backoff_ms, max_backoff_ms }: RetrySettings, tries: number, fraction: number): number {
  const whole = (backoff_ms ?? retryDefaults.backoff_ms) * 2 ** Math.min(tries - 1, 16);
  const bounded = Math.min(whole, max_backoff_ms ?? retryDefaults.max_backoff_ms);
  return Math.round(bounded / 2 + (bounded / 2) * fraction);
}

/** Statuses that say that the server could not answer now, not that the request was wrong. */
export const isServerFailure = (status: number): boolean => status >= 500 || status === 429;

/** Whether a failure says that the server is not well. A refused credential and a caller who left do not. */
export function isFailure({ kind, status }: BackendFailure): boolean {
  if (kind === 'status') return status !== undefined && isServerFailure(status);
  return kind === 'unreachable' || kind === 'timeout' || kind === 'ended' || kind === 'garbage';
}

/** Whether another try can succeed, and can do no harm. @param isRepeatable the same request may run twice */
export function isWorthRetrying(failure: BackendFailure, isRepeatable: boolean): boolean {
  if (failure.kind === 'garbage' || !isFailure(failure)) return false;
  return isRepeatable || !failure.mayHaveRun;
}
