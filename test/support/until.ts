import { setTimeout as pause } from 'node:timers/promises';
import { stillNotSo, timeLeft } from './waits.ts';

export interface UntilOptions {
  readonly limitMs?: number;
  /** Between two looks. */
  readonly everyMs?: number;
  /** What a failure shows; without it the value of the last look. */
  readonly seen?: () => unknown;
}

/** A test that may take much longer does not wait longer for one thing. A suite's hooks and scripts have no test. */
const MOST_MS = 110_000;

/**
 * Looks until it holds; for what another process does, which cannot be awaited. Answers the first value that is neither
 * undefined nor false. A look that throws is a look in vain, as a file may not be there yet, be renamed, or be half written;
 * therefore, a look does not assert what must hold at any time.
 * @param what a sentence that is true then
 * @param limits how many milliseconds, or more; without, just less than the test has left
 * @throws after the limit; the cause is what the last look threw
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limits: number | UntilOptions = {},
): Promise<T> {
  const options: UntilOptions = typeof limits === 'number' ? { limitMs: limits } : limits;
  const { limitMs = Math.round(Math.min(timeLeft() ?? MOST_MS, MOST_MS)), everyMs = 10, seen } = options;
  const deadline = performance.now() + limitMs;
  for (;;) {
    let last: unknown;
    let failure: { readonly cause?: unknown } = {};
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      last = found;
    } catch (thrown) {
      last = thrown;
      failure = { cause: thrown };
    }
    if (performance.now() > deadline) throw new Error(stillNotSo(what, `${limitMs} ms`, seen ? seen() : last), failure);
    await pause(everyMs);
  }
}
