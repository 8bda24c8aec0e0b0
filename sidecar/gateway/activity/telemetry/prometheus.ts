import { collectDefaultMetrics, type Metric as PromMetric, register as processMetrics, Registry } from 'prom-client';
import type { Metric } from './metric.ts';

let isCollecting = false;

export const contentType = (): string => Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * The metrics, and those of the Node.js process that every gateway in it shares, in the text format that Prometheus reads.
 * Values are counted elsewhere and only read here, so nothing of this is loaded before somebody asks.
 */
export async function prometheusText(metrics: readonly Metric[]): Promise<string> {
  if (!isCollecting) collectDefaultMetrics({ register: processMetrics });
  isCollecting = true;
  const registry = new Registry();
  // The registry reads names, labels and values of whatever has a `get`; its own counters could only be incremented.
  for (const it of metrics) registry.registerMetric({ name: it.name, get: () => read(it) } as unknown as PromMetric);
  return `${await registry.metrics()}\n${await processMetrics.metrics()}`;
}

async function read({ name, help, type, values }: Metric) {
  const all = [...(await values())].map(([labels, value, suffix = '']) => ({
    labels,
    value,
    metricName: `${name}${suffix}`,
  }));
  return { name, help, type, values: all };
}
