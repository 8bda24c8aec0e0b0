import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { SETTLED_MS } from './heap.ts';
import type { Timers } from './timers.ts';

/** Of each half of the young generation, in MB. V8's own choice begins with 1 and grows to 32. */
const YOUNG_MB = 16;
const YOUNG_BYTES = 2 * YOUNG_MB * 1024 * 1024;
/** The same in a database thread, which works on one batch or page at a time and keeps nothing of it. */
const THREAD_YOUNG_MB = 2;
/** The square root of {@link YOUNG_MB}: V8 begins with 1. */
const MOST_GROWTH = 4;
/** What V8 chooses. */
const FIRST_GROWTH = 2;
const YOUNG_FLAG = '--max-semi-space-size';

type Started = Pick<NodeJS.Process, 'execArgv' | 'env'>;

/**
 * Sets the size of the young generations of threads that start later. Does nothing if a size was set on the command line or in
 * `NODE_OPTIONS`. A flag that changes code does not belong here: Node would then compile its own modules instead of using the
 * code that it contains.
 */
export function sizeYoungHeapsOfThreads(started: Started): void {
  if (isChosen(started)) return;
  for (const it of [YOUNG_FLAG, '--min-semi-space-size']) setFlagsFromString(`${it}=${THREAD_YOUNG_MB}`);
}

/**
 * Calls `bound` once: {@link SETTLED_MS} from now, or at the first garbage collection, if that is earlier. Otherwise, calls in the first
 * second could enlarge the young generation past its bound.
 */
export function beforeYoungHeapGrows(timers: Pick<Timers, 'after'>, bound: () => void): void {
  const observer = new PerformanceObserver(once);
  const stop = timers.after(SETTLED_MS, once);
  function once(): void {
    observer.disconnect();
    stop();
    bound();
  }
  observer.observe({ entryTypes: ['gc'] });
}

/**
 * Bounds the young generation of a server that has started: Node recompiles its own modules that load later. A thousand open
 * streams then take 170 MB instead of 300, and a call in four hundred waits for a collection. Does nothing if a size was set, as above.
 *
 * V8 reads the size once, before any code runs. Restarting the process with another one would take a fifth of a gateway's start.
 * V8 reads the factor by which it grows each time. Within one tick, it can grow past the bound. A collection of the whole heap, as
 * by `ownMemory().collect()`, shrinks it then.
 */
export function boundYoungHeap(started: Started): void {
  if (isChosen(started)) return;
  boundGrowth();
  new PerformanceObserver(boundGrowth).observe({ entryTypes: ['gc'] });
}

/** Calls `work` while the young generation grows as at the start of a process, which {@link boundYoungHeap} may have changed. */
export function withFirstGrowth(started: Started, work: () => void): void {
  if (isChosen(started)) return work();
  setGrowth(FIRST_GROWTH);
  work();
  boundGrowth();
}

/**
 * The young generation grows to its bound in two steps, so that a process has its size early. An idle process gives most of its young
 * generation back, which may then grow again.
 */
function boundGrowth(): void {
  setGrowth(Math.min(MOST_GROWTH, Math.max(1, Math.round(YOUNG_BYTES / youngBytes()))));
}

const setGrowth = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

const youngBytes = (): number =>
  getHeapSpaceStatistics().find((it) => it.space_name === 'new_space')?.space_size || YOUNG_BYTES;

const isChosen = ({ execArgv, env }: Started): boolean =>
  [...execArgv, env['NODE_OPTIONS'] ?? ''].some((it) => it.includes(YOUNG_FLAG));
