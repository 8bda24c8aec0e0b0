import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { SpendLogReads } from '../../../../sidecar/gateway/storage/activity/spendLogReads.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import { line, linesOf } from '../../../support/gateway/activityLines.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';

const at = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: at, updated_at: at };

/** Which lines are found, to the boundaries of what was asked for, on either database. */
export function logReadsContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`lines of calls that are looked for on ${name}`, () => {
    let place: StorePlace;
    let store: GatewayStore;
    const first = (ms: number) => ({ completionStartTime: new Date(Date.parse(at) + ms).toISOString() });
    const logs: readonly SpendLog[] = [
      line('r1', '2026-03-03T23:59:59.999Z', 0.5, { session_id: 's1' }),
      line('r2', at, 1, { ...first(20), session_id: 's1' }),
      line('r3', at, 2, { ...first(10), error: 'Wow! 100% of it_all', status: 'failure' }),
      line('r4', at, 1, { error: 'Wow 1000 of it all', status: 'failure' }),
      line('r5', '2026-03-04T23:59:59.999Z', 4, { api_key: 'gone' }),
      line('r6', '2026-03-05T00:00:00.000Z', 8, { api_key: 'here' }),
    ];
    before(async function start() {
      place = await open();
      store = await place.open(new StandingClock(at));
      const batch = { writer: 'w', seq: 1, atMs: 0, spendings: [], used: [] };
      await store.activityWrites.write({ ...batch, ...linesOf(logs) });
      const key = { token_id: 'id', key_name: 'sk-...', rotation_count: 0, ...stamps };
      await store.deleted_key.insert({ ...key, token: 'gone', key_alias: 'Gone', metadata: { any: 'a\0b' } });
      await store.key.insert({ ...key, token: 'here', key_alias: 'Here' });
    });
    after(async () => {
      await store.close();
      place.remove();
    });
    const idsOf = (data: readonly SpendLog[]) => data.map((it) => it.request_id).join(' ');
    const found = async (query: object) => {
      const { data, ...rest } = await store.spendLogs.page(SpendLogsQuery.parse({ sort_order: 'asc', ...query }));
      assert.deepEqual(rest, { total: data.length, isMore: false, sinceMs: undefined });
      return idsOf(data);
    };

    const rows: readonly (readonly [query: object, ids: string])[] = [
      [{ start_date: '2026-03-04', end_date: '2026-03-04' }, 'r2 r3 r4 r5'],
      [{ start_date: '2026-03-04' }, 'r2 r3 r4 r5 r6'],
      [{ end_date: '2026-03-03' }, 'r1'],
      [{ start_date: at, end_date: at }, 'r2 r3 r4'],
      [{ key_alias: 'Gone' }, 'r5'],
      [{ key_alias: 'Here' }, 'r6'],
      [{ min_spend: 1, max_spend: 4 }, 'r2 r3 r4 r5'],
      [{ min_spend: 4.01 }, 'r6'],
      [{ max_spend: 0.5 }, 'r1'],
      [{ search: 'wow!' }, 'r3'],
      [{ search: '100%' }, 'r3'],
      [{ search: 'it_all' }, 'r3'],
      [{ search: 'WOW' }, 'r3 r4'],
      [{ search: 'r' }, 'r1 r2 r3 r4 r5 r6'],
      [{ search: 'r4' }, 'r4'],
      [{ search: 's1' }, 'r1 r2'],
      [{ search: 's1', start_date: '2026-03-04' }, 'r2'],
      [{ search: 'nothing' }, ''],
      [{ error_message: '!' }, 'r3'],
      [{ group_by_session: true }, 'r2 r3 r4 r5 r6'],
      [{ sort_by: 'ttft_ms' }, 'r3 r2 r1 r4 r5 r6'],
      [{ sort_by: 'ttft_ms', sort_order: 'desc' }, 'r2 r3 r6 r5 r4 r1'],
      [{ sort_by: 'spend' }, 'r1 r2 r4 r3 r5 r6'],
      [{ sort_by: 'spend', sort_order: 'desc' }, 'r6 r5 r3 r4 r2 r1'],
      [{ sort_by: 'spend', start_date: '2026-03-04', end_date: at }, 'r2 r4 r3'],
      [{ sort_by: 'spend', sort_order: 'desc', end_date: '2026-03-04' }, 'r5 r3 r4 r2 r1'],
      [{ sort_by: 'spend', api_key: 'gone,here', sort_order: 'desc' }, 'r6 r5'],
      [{ sort_by: 'spend', api_key: [] }, ''],
      [{ sort_by: 'spend', search: 'wow', sort_order: 'desc' }, 'r3 r4'],
      [{ sort_by: 'spend', group_by_session: true }, 'r2 r4 r3 r5 r6'],
      [{ sort_by: 'spend', start_date: '2026-03-06' }, ''],
      [{ sort_by: 'request_duration_ms' }, 'r1 r2 r3 r4 r5 r6'],
      [{ sort_by: 'request_duration_ms', sort_order: 'desc' }, 'r6 r5 r4 r3 r2 r1'],
    ];
    for (const [query, ids] of rows)
      for (const bounded of [false, true])
        it(`are for ${JSON.stringify(query)}${bounded ? ', bounded' : ''}: ${ids || 'none'}`, async () =>
          assert.equal(await found({ ...query, bounded }), ids));

    for (const sort_by of ['spend', 'request_duration_ms'] as const)
      for (const sort_order of ['asc', 'desc'] as const)
        it(`are on the pages of several days the same by ${sort_by}, ${sort_order}, as on one page`, async () => {
          const order = { sort_by, sort_order };
          const whole = await found(order);
          const paged: string[] = [];
          for (const page of [1, 2, 3, 4])
            paged.push(
              idsOf((await store.spendLogs.page(SpendLogsQuery.parse({ ...order, page, page_size: 2 }))).data),
            );
          assert.equal(paged.join(' ').trim(), whole);
        });

    for (const sort_order of ['asc', 'desc'] as const)
      it(`are the same by spend, ${sort_order}, where there are too many days to ask an index for the lines of each`, async () => {
        const order = { sort_by: 'spend', sort_order } as const;
        const whole = await found(order);
        const { db } = store.database;
        await db
          .insertInto('log_days')
          .values(Array.from({ length: 401 }, (_, day) => ({ day, lines: 0 })))
          .execute();
        try {
          assert.equal(await found(order), whole);
        } finally {
          await db.deleteFrom('log_days').where('day', '<', 401).execute();
        }
      });

    it('are looked at piece by piece, where a bounded question has no index and there are more', async () => {
      const reads = new SpendLogReads(store.database.db, store.database.kind === 'postgres', store.logLines, 2);
      const piecesOf = async (asked: object) => {
        const pieces: string[] = [];
        for (let end_date: string | undefined; pieces.length < 9; ) {
          const query = SpendLogsQuery.parse({ ...asked, bounded: true, ...(end_date && { end_date }) });
          const { data, total, sinceMs } = await reads.page(query);
          assert.equal(total, data.length);
          pieces.push(idsOf(data));
          if (sinceMs === undefined) return pieces;
          assert.ok(data.every((it) => Date.parse(it.startTime) >= sinceMs));
          end_date = new Date(sinceMs - 1).toISOString();
        }
        return assert.fail('there is no last piece');
      };
      // Three started in one millisecond, and two of them failed.
      assert.deepEqual(await piecesOf({ sort_by: 'total_tokens' }), ['r6 r5', 'r4 r3 r2', 'r1']);
      assert.deepEqual(await piecesOf({ sort_by: 'model', sort_order: 'asc' }), ['r5 r6', 'r2 r3 r4', 'r1']);
      assert.deepEqual(await piecesOf({ sort_by: 'spend' }), ['r6 r5 r3 r4 r2 r1']);
      assert.deepEqual(await piecesOf({ group_by_session: true, start_date: at }), ['r6 r5', 'r4 r3 r2']);
      assert.deepEqual(await piecesOf({ search: 'wow' }), ['r4 r3']);
      const one = new SpendLogReads(store.database.db, store.database.kind === 'postgres', store.logLines, 1);
      const first = await one.page(SpendLogsQuery.parse({ search: 'wow', bounded: true }));
      assert.deepEqual([first.data, first.sinceMs], [[], Date.parse(at) + 1]);
      const next = await one.page(SpendLogsQuery.parse({ search: 'wow', bounded: true, end_date: at }));
      assert.deepEqual([idsOf(next.data), next.sinceMs], ['r4 r3', Date.parse(at)]);
      const byId = await one.page(SpendLogsQuery.parse({ search: 's1', bounded: true }));
      assert.deepEqual([idsOf(byId.data), byId.sinceMs], ['r2 r1', Date.parse(at) + 1], 'ids are found in all lines');
      const own = await one.page(SpendLogsQuery.parse({ search: 'wow', bounded: true, api_key: 'here' }));
      assert.deepEqual([own.data, own.sinceMs], [[], undefined], 'failed calls of other keys are not counted');
      const whole = await one.page(SpendLogsQuery.parse({ search: 'wow' }));
      assert.deepEqual([idsOf(whole.data), whole.sinceMs], ['r4 r3', undefined]);
    });

    it('are as many as there are, also where they are too many to be counted one by one', async () => {
      const startMs = Date.parse('2026-02-01T00:00:00.000Z');
      const status = (n: number) => (n % 100 === 0 ? 'failure' : 'success');
      // Three days, of which the second has most.
      const start = (n: number) =>
        new Date(startMs + (n < 100 ? 0 : n < 10_200 ? 1 : 2) * 86_400_000 + n).toISOString();
      const many = Array.from({ length: 10_300 }, (_, n) => line(`many-${n}`, start(n), 1, { status: status(n) }));
      for (const [at, seq] of [
        [0, 2],
        [5_000, 3],
        [10_000, 4],
      ] as const)
        await store.activityWrites.write({
          ...{ writer: 'w', seq, atMs: 0, spendings: [], used: [] },
          ...linesOf(many.slice(at, at + 5_000)),
        });
      const all = { start_date: '2026-02-01', end_date: '2026-02-03' };
      const rows = [
        [all, 10_300],
        [{ start_date: '2026-02-02', end_date: '2026-02-02' }, 10_100],
        [{ ...all, status_filter: 'success' }, 10_197],
        [{ ...all, status_filter: 'failure' }, 103],
        [{ ...all, end_date: '2026-02-02T12:00:00Z' }, 10_200],
        [{ ...all, model: 'm' }, 10_300],
        [{ ...all, api_key: 'nobody' }, 0],
        [{ ...all, bounded: true }, 10_300],
        [{ ...all, bounded: true, status_filter: 'success' }, 10_197],
        [{ ...all, bounded: true, status_filter: 'failure' }, 103],
        [{ ...all, bounded: true, model: 'm' }, 10_000, true],
        [{ ...all, bounded: true, search: 'M' }, 10_000, true],
        [{ ...all, bounded: true, model: 'm', start_date: '2026-02-03' }, 100],
      ] as const;
      try {
        for (const [query, expected, isMore = false] of rows) {
          const found = await store.spendLogs.page(SpendLogsQuery.parse({ ...query, page_size: 1 }));
          const seen = [found.total, found.data.length, found.isMore];
          assert.deepEqual(seen, [expected, Math.min(1, expected), isMore], JSON.stringify(query));
        }
      } finally {
        const { db } = store.database;
        await db.deleteFrom('spend_logs').where('request_id', 'like', 'many-%').execute();
      }
    });

    for (const size of [1, 2, 3, 6, 7]) {
      it(`come whole and newest first in pieces of ${size}, also where several began at one moment`, async () => {
        const pieces: string[][] = [];
        for await (const piece of store.spendLogs.all(SpendLogsQuery.parse({}), size))
          pieces.push(piece.map((it) => it.request_id));
        assert.equal(pieces.flat().join(' '), 'r6 r5 r4 r3 r2 r1');
        assert.ok(pieces.every((it) => it.length > 0 && it.length <= size));
      });
    }
  });
}
