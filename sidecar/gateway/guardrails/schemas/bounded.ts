import { createContext, Script } from 'node:vm';

const box: { work: () => unknown } = { work: () => undefined };
const context = createContext(box);
const script = new Script('work()');

/**
 * Runs synchronous work and ends it when it takes too long, in the midst of a regular expression too. Costs a quarter of a
 * millisecond, so it is for work whose length somebody else decides.
 * @param limitMs whole milliseconds of wall time, 1 or more
 * @returns `undefined` where the time was up; whatever the work was writing is then half written
 */
export function withinTime<T>(limitMs: number, work: () => T): { readonly result: T } | undefined {
  box.work = () => ({ result: work() });
  try {
    return script.runInContext(context, { timeout: limitMs }) as { readonly result: T };
  } catch (thrown) {
    if (isTimeout(thrown)) return undefined;
    throw thrown;
  } finally {
    box.work = () => undefined;
  }
}

const isTimeout = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
