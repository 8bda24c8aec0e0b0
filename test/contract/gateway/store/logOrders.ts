import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { after, before, describe, it } from 'mocha';
import { magnitude } from '../../../../sidecar/gateway/storage/activity/durationOrder.ts';
import { SpendLogReads } from '../../../../sidecar/gateway/storage/activity/spendLogReads.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { SpendLogsQuery } from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import { line, linesOf } from '../../../support/gateway/activityLines.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { planOf } from './queryPlan.ts';

const startMs = Date.parse('2026-03-04T10:00:00.000Z');

/** How lines are sorted, and by which index they are found, on either database. */
export function logOrdersContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`lines of calls in the order of their durations on ${name}`, () => {
    let place: StorePlace;
    let store: GatewayStore;
    let seq = 0;
    before(async () => {
      place = await open();
      store = await place.open(new StandingClock('2026-03-05T00:00:00.000Z'));
    });
    after(async () => {
      await store.close();
      place.remove();
    });

    const write = async (durations: readonly number[]) => {
      await store.database.db.deleteFrom('spend_logs').execute();
      const logs = durations.map((request_duration_ms, n) =>
        // On several days.
        line(`r${String(n).padStart(3, '0')}`, new Date(startMs + n * 3 * 3_600_000).toISOString(), 1, {
          request_duration_ms,
          status: n % 3 === 1 ? 'failure' : 'success',
        }),
      );
      seq += 1;
      const batch = { writer: 'w', seq, atMs: 0, spendings: [], used: [] };
      await store.activityWrites.write({ ...batch, ...linesOf(logs) });
      return logs;
    };
    const paged = async (query: object, page_size: number) => {
      const found: string[] = [];
      for (let page = 1; ; page += 1) {
        const asked = SpendLogsQuery.parse({ ...query, sort_by: 'request_duration_ms', page, page_size });
        const { data } = await store.spendLogs.page(asked);
        found.push(...data.map((it) => it.request_id));
        if (data.length < page_size) return found;
      }
    };

    // In microseconds, from nothing to days, with many that are equal.
    const duration = fc.oneof(
      fc.constantFrom(0, 0.0004, 0.999, 1, 9.9999, 10, 99.99999, 100, 86_400_000),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.double({ min: 0, max: 20, noNaN: true }),
    );
    for (const direction of ['asc', 'desc'] as const)
      it(`are the same on pages of any size as on one page, ${direction}`, async () =>
        fc.assert(
          fc.asyncProperty(
            fc.array(duration, { maxLength: 40 }),
            fc.integer({ min: 1, max: 50 }),
            fc.constantFrom(undefined, '2026-03-05', '2026-03-06', '2026-03-20'),
            async (all, size, start_date) => {
              const logs = await write(all);
              const sign = direction === 'asc' ? 1 : -1;
              for (const status_filter of [undefined, 'success'] as const) {
                const expected = logs
                  .filter((it) => status_filter === undefined || it.status === status_filter)
                  .filter((it) => start_date === undefined || it.startTime >= start_date)
                  .toSorted(
                    (a, b) =>
                      sign * (a.request_duration_ms - b.request_duration_ms || (a.request_id < b.request_id ? -1 : 1)),
                  )
                  .map((it) => it.request_id);
                assert.deepEqual(await paged({ sort_order: direction, status_filter, start_date }, size), expected);
              }
            },
          ),
          { numRuns: 40 },
        ));

    it('are sorted by their start, on every page, if a bounded query finds too many of one magnitude', async () => {
      await write([3, 12, 15, 11, 18, 25]);
      const reads = new SpendLogReads(store.database.db, store.database.kind === 'postgres', store.logLines, 2, 3);
      const idsOf = async (query: object) =>
        (await reads.page(SpendLogsQuery.parse({ sort_by: 'request_duration_ms', ...query }))).data
          .map((it) => it.request_id)
          .join(' ');
      assert.equal(await idsOf({}), 'r005 r004 r002 r001 r003 r000');
      assert.equal(await idsOf({ bounded: true }), 'r005 r004 r003 r002 r001 r000');
      assert.equal(await idsOf({ bounded: true, sort_order: 'asc' }), 'r000 r001 r002 r003 r004 r005');
      const pages = [1, 2, 3].map((page) => idsOf({ bounded: true, page, page_size: 2 }));
      assert.deepEqual(await Promise.all(pages), ['r005 r004', 'r003 r002', 'r001 r000']);
    });

    const plan = (query: RawBuilder<unknown>) => planOf(store, query);
    it('are found by their magnitude', async () => {
      await write([1, 20, 300]);
      const read = sql`select request_id from spend_logs where ${magnitude} = ${sql.lit(52)}
        and started_ms >= 1 and started_ms < 2 and status <> 'failure'`;
      assert.match(await plan(read), /spend_logs_magnitude\b/);
      const next = sql`select ${magnitude} as value from spend_logs where ${magnitude} < ${52} order by 1 desc limit 1`;
      assert.match(await plan(next), /spend_logs_magnitude\b/);
    });

    for (const column of ['api_key', 'team_id', 'user_id', 'session_id', 'end_user', 'trace_id', 'model_group'])
      it(`are found by ${column}, with one value or several`, async () => {
        for (const wanted of [sql`= ${'one'}`, sql`in (${'one'}, ${'two'})`]) {
          const read = sql`select request_id from spend_logs where ${sql.ref(column)} ${wanted}`;
          assert.match(await plan(read), new RegExp(`spend_logs_${column}\\b`));
        }
      });

    it('are found by the beginning of their session ID, or by either of two IDs', async () => {
      const text = store.database.kind === 'postgres' ? sql` collate "C"` : sql``;
      const begins = sql`session_id ${text} >= ${'s'} and session_id ${text} < ${'t'}`;
      assert.match(
        await plan(sql`select distinct session_id from spend_logs where ${begins}`),
        /spend_logs_session_id/,
      );
      const either = sql`select spend from spend_logs where request_id in (${'r'}) or session_id in (${'s'})`;
      assert.match(await plan(either), /spend_logs_session_id\b/);
    });
  });
}
