type Labels = Readonly<Record<string, string>>;

/** A number that grows, one that is looked at when asked, or how many were up to each bound. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Of a histogram with what stands behind its name: `_bucket`, `_sum`, `_count`. */
  readonly values: () => Iterable<readonly [labels: Labels, value: number, suffix?: string]>;
}

/** The text format that Prometheus reads. */
export function metricsText(metrics: readonly Metric[]): string {
  const blocks = metrics.map(({ name, help, type, values }) => {
    const lines = [...values()].map(([labels, value, suffix = '']) => {
      const inner = Object.entries(labels)
        .map(
          ([label, text]) =>
            `${label}="${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
        )
        .join(',');
      return `${name}${suffix}${inner === '' ? '' : `{${inner}}`} ${value}`;
    });
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
  });
  return `${blocks.join('\n')}\n`;
}

/** The lines of one histogram. @param counts one for each bound, and one for what is above */
export function* histogramLines(
  labels: Labels,
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
): Generator<readonly [Labels, number, string]> {
  let count = 0;
  for (const [at, it] of counts.entries()) {
    count += it;
    yield [{ ...labels, le: `${bounds[at] ?? '+Inf'}` }, count, '_bucket'];
  }
  yield [labels, sum, '_sum'];
  yield [labels, count, '_count'];
}
