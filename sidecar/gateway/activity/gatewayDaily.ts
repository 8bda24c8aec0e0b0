import type { GatewayDaily } from '../../protocol/gateway/activity.ts';
import type { GatewayDailyQuery } from '../../protocol/gateway/activityQueries.ts';
import type { Surface } from '../routing/route.ts';
import type { ActivityReads } from '../storage/activity/activityReads.ts';
import type { EdgeSum } from '../storage/activity/dailySums.ts';
import { groupBy } from './metrics.ts';

/** `GET /gateway/daily/activity`: every request at the edge, without its caller. */
export async function gatewayDaily(
  reads: Pick<ActivityReads, 'edge'>,
  query: GatewayDailyQuery,
  surfaceOf: (template: string) => Surface,
): Promise<GatewayDaily> {
  const sums = await reads.edge(query.start_date, query.end_date);
  const { successful_requests, failed_requests } = totals(sums);
  return {
    total_successful_requests: successful_requests,
    total_failed_requests: failed_requests,
    by_date: [...groupBy(sums, (it) => it.date)]
      .map(([date, of]) => ({ date, ...totals(of) }))
      .toSorted((one, other) => (one.date < other.date ? -1 : 1)),
    by_route: [...groupBy(sums, (it) => it.endpoint)]
      .map(([route, of]) => ({ category: categories[surfaceOf(route)], route, ...totals(of) }))
      .toSorted((one, other) => (one.route < other.route ? -1 : 1)),
  };
}

const totals = (sums: readonly EdgeSum[]) => ({
  successful_requests: sums.reduce((sum, it) => sum + it.successful_requests, 0),
  failed_requests: sums.reduce((sum, it) => sum + it.failed_requests, 0),
});

/** What the pages call the parts of the gateway. */
const categories = {
  mcp: 'mcp',
  rest: 'mcp',
  a2a: 'a2a',
  cloudagents: 'cloudagents',
  models: 'models',
  management: 'management',
  public: 'management',
} as const satisfies Record<Surface, string>;
