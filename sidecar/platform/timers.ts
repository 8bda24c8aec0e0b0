import { setTimeout as wait } from 'node:timers/promises';

/**
 * The only place that starts timers. Handed in, so that tests and simulations decide when time passes. No timer keeps the
 * process alive, except a {@link Timers.wait} that somebody awaits.
 */
export interface Timers {
  /** Runs `work` once after `delayMs`. Returns what stops it; stopping twice does nothing. */
  after(delayMs: number, work: () => void): () => void;
  /** Runs `work` every `periodMs`. Returns what stops it. */
  every(periodMs: number, work: () => void): () => void;
  /** Runs `work` once, after what is under way and before any timer. Returns what stops it. */
  soon(work: () => void): () => void;
  /** @throws an `AbortError` with the signal's reason as its cause, when that aborts first */
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Aborts after `delayMs` with a `TimeoutError`. */
  deadline(delayMs: number): AbortSignal;
}

export const systemTimers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs).unref();
    return () => clearTimeout(timer);
  },
  every(periodMs, work) {
    const timer = setInterval(work, periodMs).unref();
    return () => clearInterval(timer);
  },
  soon(work) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  },
  wait: (delayMs, signal) => wait(delayMs, undefined, signal && { signal }),
  deadline: (delayMs) => AbortSignal.timeout(delayMs),
};
