/** A number that grows, or one that is looked at when asked. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly values: () => Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>;
}

/** The text format that Prometheus reads. */
export function metricsText(metrics: readonly Metric[]): string {
  const blocks = metrics.map(({ name, help, type, values }) => {
    const lines = [...values()].map(([labels, value]) => {
      const inner = Object.entries(labels)
        .map(
          ([label, text]) =>
            `${label}="${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
        )
        .join(',');
      return `${name}${inner === '' ? '' : `{${inner}}`} ${value}`;
    });
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
  });
  return `${blocks.join('\n')}\n`;
}
