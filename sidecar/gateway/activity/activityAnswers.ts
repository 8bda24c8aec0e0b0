import type { ManagementDeps } from '../management/deps.ts';
import type { GatewayStore } from '../storage/store.ts';
import { ALL_DAYS, dailyActivity } from './dailyActivity.ts';
import { endpointActivity } from './endpointActivity.ts';
import { gatewayDaily } from './gatewayDaily.ts';
import { spendLogsCsv, spendLogsV2 } from './spendLogs.ts';

/** What the read routes answer, from the sums and lines of the store. */
export function activityAnswers(store: GatewayStore): ManagementDeps['activity'] {
  const { activityReads, spendLogs } = store;
  return {
    spendLogs: (query) => spendLogsV2(spendLogs, query),
    spendLogsCsv: (query) => spendLogsCsv(spendLogs, query),
    daily: (entity, query) => dailyActivity(activityReads, entity, query),
    wholeDaily: (entity, query) => dailyActivity(activityReads, entity, { ...query, page: 1, page_size: ALL_DAYS }),
    gatewayDaily: (query) => gatewayDaily(activityReads, query),
    endpoints: (query) => endpointActivity(activityReads, query),
  };
}
