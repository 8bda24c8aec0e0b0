import { isDeepStrictEqual } from 'node:util';
import { type UntilOptions, until as untilSo } from '../../support/until.ts';

/** As the wait of the other suites, for a window: a look costs more. */
export function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limits: number | UntilOptions = {},
): Promise<T> {
  const options = typeof limits === 'number' ? { limitMs: limits } : limits;
  return untilSo(what, look, { limitMs: 90_000, everyMs: 100, ...options });
}

/**
 * Looks until the whole of what is seen is as it is wanted, and answers that look: what was seen before may be gone. In
 * vain it shows what it saw last.
 */
export async function untilSeen<T>(
  what: string,
  look: () => T | Promise<T>,
  wanted: NoInfer<T> | ((it: T) => boolean),
  limitMs?: number,
): Promise<T> {
  const isWanted =
    typeof wanted === 'function' ? (wanted as (it: T) => boolean) : (it: T) => isDeepStrictEqual(it, wanted);
  let seen: unknown;
  const found = await until(
    what,
    async () => {
      seen = undefined;
      try {
        const now = await look();
        seen = now;
        return isWanted(now) && { now };
      } catch (thrown) {
        seen = thrown;
        throw thrown;
      }
    },
    { seen: () => seen, ...(limitMs !== undefined && { limitMs }) },
  );
  return found.now;
}
