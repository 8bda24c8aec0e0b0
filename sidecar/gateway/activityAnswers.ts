import type { Clock } from '../platform/clock.ts';
import {
  DailyActivityQuery,
  EndpointActivityQuery,
  GatewayDailyQuery,
  SpendLogsQuery,
} from '../protocol/gateway/activityQueries.ts';
import { ALL_DAYS, dailyActivity } from './activity/dailyActivity.ts';
import { endpointActivity } from './activity/endpointActivity.ts';
import { gatewayDaily } from './activity/gatewayDaily.ts';
import { spendLogsV2 } from './activity/spendLogs.ts';
import type { ManagementDeps } from './management/deps.ts';
import type { GatewayStore } from './storage/store.ts';

/** What the read routes answer, from the sums and lines of the store. */
export function activityAnswers(store: GatewayStore, clock: Clock): ManagementDeps['activity'] {
  const { activityReads, spendLogs } = store;
  const logs = (query: object) => spendLogsV2(spendLogs, SpendLogsQuery.parse(query));
  return {
    spendLogs: (query) => logs(present(query)),
    async spendByDay(query) {
      const { results } = await dailyActivity(
        activityReads,
        clock,
        'user',
        DailyActivityQuery.parse({ ...present(query), page: 1, page_size: 1_000 }),
      );
      return results.map(({ date, metrics }) => ({ date, spend: metrics.spend }));
    },
    async daily(entity, { ids, exclude_ids: _, page, page_size, ...query }) {
      const read = DailyActivityQuery.parse(present({ ...query, entity_ids: ids }));
      const size = page === undefined ? ALL_DAYS : (page_size ?? read.page_size);
      return dailyActivity(activityReads, clock, entity, { ...read, page: page ?? 1, page_size: size }) as never;
    },
    gatewayDaily: async (range) => ({ ...(await gatewayDaily(activityReads, GatewayDailyQuery.parse(range))) }),
    endpoints: async (query) =>
      (await endpointActivity(activityReads, EndpointActivityQuery.parse(present(query)))).endpoints as never,
  };
}

const present = (query: object): object =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
