import { Fault } from '../../platform/faults.ts';
import type { EndpointActivity, EndpointDay, EndpointMetrics } from '../../protocol/gateway/activity.ts';
import type { EndpointActivityQuery } from '../../protocol/gateway/activityQueries.ts';
import { toCsv } from '../../protocol/gateway/csv.ts';
import type { ActivityReads, EndpointSum } from '../storage/activity/activityReads.ts';
import type { SumColumns } from '../storage/database/activityTables.ts';
import { daysBetween } from './days.ts';
import { groupBy, metricsOf } from './metrics.ts';

/** Each endpoint has a point for each day. */
export const MAX_RANGE_DAYS = 400;

/**
 * The seven metrics of each endpoint (`gateway.activity.by-endpoint`), from sums alone.
 *
 * @throws {Fault} `invalid_params` naming `end_date` for more than {@link MAX_RANGE_DAYS}
 */
export async function endpointActivity(
  reads: Pick<ActivityReads, 'endpoints'>,
  query: EndpointActivityQuery,
): Promise<EndpointActivity> {
  const { start_date: start, end_date: end, api_key: apiKeys, team_id: teamIds, tag: tags } = query;
  if ((Date.parse(end) - Date.parse(start)) / 86_400_000 >= MAX_RANGE_DAYS) {
    throw new Fault('invalid_params', `The range must not exceed ${MAX_RANGE_DAYS} days.`, {
      data: { field: 'end_date' },
    });
  }
  const days = daysBetween(start, end);
  const sums = await reads.endpoints({ start, end, apiKeys, teamIds, tags });
  const endpoints = [...groupBy(sums, (it) => it.endpoint)]
    .map(([endpoint, of]) => ({ endpoint, ...toEndpointMetrics(of), daily: toDaily(days, of) }))
    .toSorted((one, other) => other.total_requests - one.total_requests || (one.endpoint < other.endpoint ? -1 : 1));
  return { endpoints, totals: toEndpointMetrics(sums), daily: toDaily(days, sums) };
}

/** The table of {@link endpointActivity}, for a spreadsheet. */
export function endpointActivityCsv({ endpoints }: EndpointActivity): string {
  const head = [
    'endpoint',
    'successful_requests',
    'failed_requests',
    'total_requests',
    'success_rate',
    'total_tokens',
    'spend',
  ] as const;
  return toCsv([head, ...endpoints.map((it) => head.map((name) => it[name]))]);
}

function toEndpointMetrics(sums: readonly SumColumns[]): EndpointMetrics {
  const { successful_requests, failed_requests, api_requests, total_tokens, spend } = metricsOf(sums);
  return {
    successful_requests,
    failed_requests,
    total_requests: api_requests,
    success_rate: api_requests === 0 ? null : (100 * successful_requests) / api_requests,
    total_tokens,
    spend,
  };
}

function toDaily(days: readonly string[], sums: readonly EndpointSum[]): readonly EndpointDay[] {
  const byDate = groupBy(sums, (it) => it.date);
  return days.map((date) => ({ date, ...toEndpointMetrics(byDate.get(date) ?? []) }));
}
