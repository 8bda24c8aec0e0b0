import type { Metrics } from '../../protocol/gateway/activity.ts';
import type { SumColumns } from '../storage/database/activityTables.ts';

const names = [
  'spend',
  'flat_cost',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'successful_requests',
  'failed_requests',
  'api_requests',
] as const satisfies readonly (keyof Metrics)[];

export const nothing = (): Total => ({
  spend: 0,
  flat_cost: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  successful_requests: 0,
  failed_requests: 0,
  api_requests: 0,
});

/** Adds up sums into the metrics of the read routes. */
export function metricsOf(sums: readonly SumColumns[]): Metrics {
  const total = nothing();
  for (const it of sums) addTo(total, it);
  return total;
}

export type Total = Record<keyof Metrics, number>;

export function addTo(total: Total, it: SumColumns): void {
  total.spend += it.spend;
  total.prompt_tokens += it.prompt_tokens;
  total.completion_tokens += it.completion_tokens;
  total.total_tokens += it.prompt_tokens + it.completion_tokens;
  total.cache_read_input_tokens += it.cache_read_input_tokens;
  total.cache_creation_input_tokens += it.cache_creation_input_tokens;
  total.successful_requests += it.successful_requests;
  total.failed_requests += it.failed_requests;
  total.api_requests += it.successful_requests + it.failed_requests;
}

export function totalOf(all: readonly Metrics[]): Metrics {
  const total = nothing();
  for (const it of all) for (const name of names) total[name] += it[name];
  return total;
}

export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const it of items) {
    const name = nameOf(it);
    const group = groups.get(name);
    if (group) group.push(it);
    else groups.set(name, [it]);
  }
  return groups;
}
