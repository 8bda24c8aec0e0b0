import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { until } from '../until.ts';

export interface StandRecords {
  /** The lines of the log, oldest first, as soon as there are `count`. @throws after a while with fewer; so many and no more */
  records(count: number): Promise<readonly SpendLog[]>;
  /** The line of the log for an answer, by the id that it came with. */
  recordOf(answer: { readonly headers: Headers }): Promise<SpendLog>;
}

export function standRecords(store: GatewayStore): StandRecords {
  return {
    async records(count) {
      const query = SpendLogsQuery.parse({ page_size: 1_000, sort_order: 'asc' });
      const read = async () => (await store.spendLogs.page(query)).data;
      await until(`${count} calls are on record`, async () => (await read()).length >= count);
      const found = await read();
      if (found.length !== count) throw new Error(`${found.length} records instead of ${count}`);
      return found;
    },
    async recordOf({ headers }) {
      const query = SpendLogsQuery.parse({ request_id: headers.get('x-gateway-call-id') });
      let found: readonly SpendLog[] = [];
      await until('the call is on record', async () => {
        found = (await store.spendLogs.page(query)).data;
        return found.length > 0;
      });
      const [line, ...others] = found;
      if (!line || others.length > 0) throw new Error(`${found.length} records of one request`);
      return line;
    },
  };
}
