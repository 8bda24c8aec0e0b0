import { setTimeout as pause } from 'node:timers/promises';

/**
 * Answers the first value of `look` that is neither undefined nor false. `what` is the sentence that a failure says is
 * not true. A look may throw while things are still moving; the last thing thrown becomes the cause.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
    } catch (thrown) {
      cause = thrown;
    }
    if (performance.now() > deadline) throw new Error(`after ${limitMs / 1000} s still not so: ${what}`, { cause });
    await pause(50);
  }
}
