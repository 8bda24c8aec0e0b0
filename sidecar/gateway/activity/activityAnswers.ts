import type { ManagementDeps } from '../management/managementDeps.ts';
import type { Surface } from '../routing/route.ts';
import type { GatewayStore } from '../storage/store.ts';
import { ALL_DAYS, dailyActivity } from './dailyActivity.ts';
import { endpointActivity } from './endpointActivity.ts';
import { gatewayDaily } from './gatewayDaily.ts';
import { recordCalls } from './recordCalls.ts';
import { exportedSpendLogs, spendLogsV2 } from './spendLogs.ts';

/**
 * What the read routes answer, from the sums and lines of the store.
 *
 * @param surfaceOf the part of the gateway that the template of a route belongs to
 */
export function activityAnswers(
  store: GatewayStore,
  surfaceOf: (template: string) => Surface,
): ManagementDeps['activity'] {
  const { activityReads, spendLogs } = store;
  return {
    spendLogs: (query) => spendLogsV2(spendLogs, query),
    exportedSpendLogs: (query, format, content) =>
      exportedSpendLogs(spendLogs, query, format, content ? store.callContents : undefined),
    daily: (entity, query) => dailyActivity(activityReads, entity, query),
    wholeDaily: (entity, query) => dailyActivity(activityReads, entity, { ...query, page: 1, page_size: ALL_DAYS }),
    gatewayDaily: (query) => gatewayDaily(activityReads, query, surfaceOf),
    recordCalls: (of, start, end) => recordCalls(store.recordCalls, activityReads, of, { start, end }),
    endpoints: (query) => endpointActivity(activityReads, query),
  };
}
