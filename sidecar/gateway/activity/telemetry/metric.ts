type Labels = Readonly<Record<string, string>>;
/** The suffix belongs to histograms: `_bucket`, `_sum`, or `_count`. */
export type Value = readonly [labels: Labels, value: number, suffix?: string];

/** A number that grows, one that is looked at when asked, or how many were up to each bound. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Read only when somebody asks. */
  readonly values: () => Iterable<Value> | Promise<Iterable<Value>>;
}

export const gauge = (name: string, help: string, values: Metric['values']): Metric => ({
  name,
  help,
  type: 'gauge',
  values,
});
export const counter = (name: string, help: string, values: Metric['values']): Metric => ({
  name,
  help,
  type: 'counter',
  values,
});

/** The values of one histogram. @param counts one for each bound, and one for what is above */
export function* histogramValues(
  labels: Labels,
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
): Generator<Value> {
  let count = 0;
  for (const [at, it] of counts.entries()) {
    count += it;
    yield [{ ...labels, le: `${bounds[at] ?? '+Inf'}` }, count, '_bucket'];
  }
  yield [labels, sum, '_sum'];
  yield [labels, count, '_count'];
}
