import type { DailyActivityAnswer, EndpointAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';

export interface SumRow {
  readonly id: string;
  readonly name: string;
  readonly successful: number;
  readonly failed: number;
  readonly total: number;
  readonly tokens: number;
  readonly input: number;
  readonly output: number;
  /** Parts of `input`. */
  readonly cacheRead: number;
  readonly cacheCreation: number;
  /** US dollars. */
  readonly spend: number;
}
export type Breakdown = keyof DailyActivityAnswer['results'][number]['breakdown'];

/** Adds up the days by name, most requests first. */
export function sumDays(results: DailyActivityAnswer['results'], breakdown: Breakdown): SumRow[] {
  const sums = new Map<string, SumRow>();
  for (const day of results) {
    for (const [id, { metrics: it, metadata }] of Object.entries(day.breakdown[breakdown])) {
      const before = sums.get(id);
      sums.set(id, {
        id,
        name: nameIn(metadata) ?? before?.name ?? id,
        successful: (before?.successful ?? 0) + it.successful_requests,
        failed: (before?.failed ?? 0) + it.failed_requests,
        total: (before?.total ?? 0) + it.api_requests,
        tokens: (before?.tokens ?? 0) + it.total_tokens,
        input: (before?.input ?? 0) + (it.prompt_tokens ?? 0),
        output: (before?.output ?? 0) + (it.completion_tokens ?? 0),
        cacheRead: (before?.cacheRead ?? 0) + (it.cache_read_input_tokens ?? 0),
        cacheCreation: (before?.cacheCreation ?? 0) + (it.cache_creation_input_tokens ?? 0),
        spend: (before?.spend ?? 0) + it.spend,
      });
    }
  }
  return [...sums.values()].toSorted((a, b) => b.total - a.total || a.name.localeCompare(b.name));
}

function nameIn(metadata: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  const name = metadata?.['key_alias'] ?? metadata?.['team_alias'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

type Sums = Omit<EndpointAnswer, 'endpoint' | 'daily'>;
export type DaySums = Sums & { readonly date: string };
export interface EndpointSums {
  readonly endpoints: readonly EndpointAnswer[];
  readonly totals: Sums;
  /** Oldest first. */
  readonly daily: readonly DaySums[];
}

/** All endpoints together, in whole and for each day. */
export function sumEndpoints(endpoints: readonly EndpointAnswer[]): EndpointSums {
  const days = new Map<string, Sums[]>();
  for (const { daily } of endpoints) for (const it of daily) days.set(it.date, [...(days.get(it.date) ?? []), it]);
  const daily = [...days]
    .map(([date, all]) => ({ date, ...add(all) }))
    .toSorted((a, b) => a.date.localeCompare(b.date));
  return { endpoints, totals: add(endpoints), daily };
}

function add(all: readonly Sums[]): Sums {
  const sum = (of: (it: Sums) => number) => all.reduce((so, it) => so + of(it), 0);
  const total = sum((it) => it.total_requests);
  const successful = sum((it) => it.successful_requests);
  return {
    successful_requests: successful,
    failed_requests: sum((it) => it.failed_requests),
    total_requests: total,
    success_rate: total === 0 ? null : (successful / total) * 100,
    total_tokens: sum((it) => it.total_tokens),
    spend: sum((it) => it.spend),
  };
}
