import type { DailyActivityAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';

export interface SumRow {
  readonly id: string;
  readonly name: string;
  readonly successful: number;
  readonly failed: number;
  readonly total: number;
  readonly tokens: number;
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
