import type { Child } from '../../gateway/child.ts';
import { residentMb } from '../../gateway/processFigures.ts';
import type { CallFigures, CallsOrder, Target } from '../../gateway/target.ts';
import type { Row } from '../../measure.ts';

const CONCURRENCIES = [1, 2, 4, 8, 16, 32, 64, 128];
const BOUNDS_MS = [5, 10, 50];
const MOST_CALLS = 3_000;
const FEWEST_CALLS = 300;
/** What one run takes about, at the speed of the run before it. */
const RUN_SECONDS = 2;

/** The most calls a second whose p99 stays below each bound, without a call that failed. */
export async function throughputRows(client: Child, target: Target, pid: number): Promise<readonly Row[]> {
  const runs: (CallFigures & { readonly concurrency: number; readonly calls: number })[] = [];
  const failed: string[] = [];
  let calls = FEWEST_CALLS;
  for (const concurrency of [...CONCURRENCIES.slice(0, 1), ...CONCURRENCIES]) {
    try {
      const figures = await client.ask<CallFigures>({ target, concurrency, calls } satisfies CallsOrder);
      runs.push({ ...figures, concurrency, calls });
      calls = Math.round(Math.min(MOST_CALLS, Math.max(FEWEST_CALLS, figures.perSecond * RUN_SECONDS)));
    } catch (thrown) {
      failed.push(`${concurrency} at a time (${thrown instanceof Error ? thrown.message.slice(0, 100) : 'unknown'})`);
    }
  }
  // What the first one tells is how fast the others are.
  const [, ...counted] = runs;
  const made = counted.reduce((sum, it) => sum + it.calls, 0);
  const failures = failed.length === 0 ? 'none failed' : `failed: ${failed.join(', ')}`;
  return BOUNDS_MS.map((bound) => {
    const best = counted.filter((it) => it.p99 <= bound).toSorted((a, b) => b.perSecond - a.perSecond)[0];
    const how = best ? `${best.concurrency} at a time, p99 ${best.p99.toFixed(2)} ms` : 'at no concurrency';
    return {
      name: `${target.name}: calls a second with p99 up to ${bound} ms`,
      value: best?.perSecond ?? 0,
      unit: 'calls',
      detail: `${how}; ${made} calls, ${failures}; ${residentMb(pid).toFixed(0)} MB resident after them`,
    };
  });
}
