/** One line of the report. A row is missed when `value` is above its `limit`, or below its `floor`. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly limit?: number;
  readonly floor?: number;
  readonly unit: 'ratio' | 'ms' | 'µs' | 'MB' | 'bytes per byte' | 'bytes' | 'handshakes' | 'calls';
  /** What was measured, in absolute figures of this run. */
  readonly detail: string;
}

export const RUNS = 5;

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
/** @param share in [0, 1] */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/**
 * If a clock has coarse steps, the mean of many readings is more precise than each of them. A sixth of the readings is left
 * out at each end, so that a single delayed reading does not decide the mean.
 */
export function meanOfMost(values: readonly number[]): number {
  const out = Math.floor(values.length / 6);
  const most = values.toSorted((a, b) => a - b).slice(out, values.length - out);
  return most.reduce((sum, it) => sum + it, 0) / most.length;
}

/** The median of what `measure` answers, so many times in a row. */
export async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const figures: number[] = [];
  for (let n = 0; n < times; n += 1) figures.push(await measure());
  return median(figures);
}

/** The two in turn, A B A B …, so that a machine whose speed drifts drifts under both. One pair before it is not counted. */
export async function alternate(
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
  runs = RUNS,
): Promise<{ ours: number[]; baseline: number[] }> {
  await ours();
  await baseline();
  const figures = { ours: [] as number[], baseline: [] as number[] };
  for (let run = 0; run < runs; run += 1) {
    figures.ours.push(await ours());
    figures.baseline.push(await baseline());
  }
  return figures;
}

/** How much later ours are than the baseline, in milliseconds. */
export const laterRow = (
  name: string,
  { ours, baseline }: { ours: readonly number[]; baseline: readonly number[] },
  limit: number,
): Row => ({
  name,
  value: median(ours.map((it, at) => it - (baseline[at] ?? Number.NaN))),
  limit,
  unit: 'ms',
  detail: `${median(ours).toFixed(2)} ms against ${median(baseline).toFixed(2)} ms`,
});

export function ratioRow(
  name: string,
  { ours, baseline }: { ours: readonly number[]; baseline: readonly number[] },
  limit?: number,
): Row {
  const [a, b] = [median(ours), median(baseline)];
  return {
    name,
    value: a / b,
    ...(limit !== undefined && { limit }),
    unit: 'ratio',
    detail: `${a.toFixed(2)} ms against ${b.toFixed(2)} ms`,
  };
}
