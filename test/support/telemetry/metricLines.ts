/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples in the Prometheus text format. @throws for a line that is none */
export function readSamples(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((it) => it !== '' && !it.startsWith('#'))
    .map((line) => {
      const found = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (!found) throw new Error(`no sample: ${line}`);
      const [, name = '', inner = '', value] = found;
      const labels = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, it]) => [label, it]);
      return { name, labels: Object.fromEntries(labels) as Record<string, string>, value: Number(value) };
    });
}

/** What the samples of one name add up to by some of their labels, joined by spaces. */
export function sumBy(samples: readonly Sample[], name: string, ...labels: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const it of samples) {
    if (it.name !== name) continue;
    const key = labels.map((label) => it.labels[label] ?? '').join(' ');
    sums[key] = (sums[key] ?? 0) + it.value;
  }
  return sums;
}
