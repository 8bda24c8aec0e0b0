import { setTimeout as pause } from 'node:timers/promises';
import { stillNotSo } from './waits.ts';

export interface UntilOptions {
  readonly limitMs?: number;
  /** Between two looks. */
  readonly everyMs?: number;
  /** What a failure shows; without it the value of the last look. */
  readonly seen?: () => unknown;
  /** A look that throws is a look in vain, and the last thing thrown the cause of the failure. Else it ends the wait. */
  readonly mayThrow?: boolean;
}

/**
 * Looks until it holds; for what another process does, which cannot be awaited. Answers the first value that is neither
 * undefined nor false. @param what a sentence that is true then
 * @param limits how many milliseconds, or more
 * @throws after the limit, which is below that of a test
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limits: number | UntilOptions = {},
): Promise<T> {
  const options: UntilOptions = typeof limits === 'number' ? { limitMs: limits } : limits;
  const { limitMs = 25_000, everyMs = 10, mayThrow = false, seen } = options;
  const deadline = performance.now() + limitMs;
  let [last, cause]: [unknown, unknown] = [undefined, undefined];
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      last = found;
    } catch (thrown) {
      if (!mayThrow) throw thrown;
      [last, cause] = [thrown, thrown];
    }
    if (performance.now() > deadline) {
      throw new Error(stillNotSo(what, `${limitMs} ms`, seen ? seen() : last), cause === undefined ? {} : { cause });
    }
    await pause(everyMs);
  }
}
