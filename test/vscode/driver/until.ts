import { type UntilOptions, until as untilSo } from '../../support/until.ts';

/** As the wait of the other suites, for a window: a look may throw while things are still moving, and there is more time. */
export function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limits: number | UntilOptions = {},
): Promise<T> {
  const options = typeof limits === 'number' ? { limitMs: limits } : limits;
  return untilSo(what, look, { limitMs: 30_000, everyMs: 50, mayThrow: true, ...options });
}
