import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { ActivityBatch } from '../../../../sidecar/gateway/storage/activity/activityWrites.ts';
import { type OwnerType, pairId } from '../../../../sidecar/gateway/storage/activity/budgetReservations.ts';
import { DailySums } from '../../../../sidecar/gateway/storage/activity/dailySums.ts';
import type { SumColumns } from '../../../../sidecar/gateway/storage/database/activityTables.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import { callLines, line, linesOf } from '../../../support/gateway/activityLines.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { planOf } from './queryPlan.ts';

const at = '2026-03-04T10:00:00.000Z';
const nowMs = Date.parse(at);
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** What the sums of money and the shares of replicas owe everybody, on either database. */
export function spendingsContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`what was spent, on ${name}`, () => {
    const clock = new StandingClock(at);
    let place: StorePlace;
    let store: GatewayStore;
    let seq = 0;
    before(async function start() {
      place = await open();
      store = await place.open(clock);
    });
    after(async () => {
      await store.close();
      place.remove();
    });
    const tables = [
      'spend_logs',
      'incoming_lines',
      'daily_activity',
      'daily_tag_activity',
      'daily_edge',
      'flush_marks',
      'budget_counters',
      'allowances',
    ] as const;
    beforeEach(async () => {
      for (const it of tables) await store.database.db.deleteFrom(it).execute();
    });
    const batch = (more: Partial<ActivityBatch> = {}): ActivityBatch => {
      seq += 1;
      return {
        writer: 'one',
        seq,
        atMs: nowMs,
        lines: callLines(),
        sums: new DailySums(),
        spendings: [],
        used: [],
        ...more,
      };
    };
    /** Until the lines are in the log. */
    const write = async (more: Partial<ActivityBatch>) => {
      await store.activityWrites.write(batch(more));
      await store.logLines.enterAll();
    };
    const rows = (table: (typeof tables)[number]) => store.database.db.selectFrom(table).selectAll().execute();
    /** As it is kept, or counted from the records. */
    const spent = (
      type: OwnerType,
      id: string,
      startMs = 0,
      endMs = nowMs + DAY,
      counter = `${type} ${id} ${startMs}`,
    ) => store.reservations.spent({ counter, scope: `${type}:${id}`, owner: { type, id }, startMs, endMs });
    const allowance = (counter: string, amount: number, expires_at_ms = nowMs + 1, holder = 'one') =>
      store.database.db.insertInto('allowances').values({ counter, holder, amount, expires_at_ms }).execute();
    const allowances = async () =>
      (await rows('allowances')).map((it) => ('holder' in it ? `${it.counter} ${it.holder} ${it.amount}` : '')).sort();

    it('is counted once where a batch comes again, or one of before it, and anew from another writer', async () => {
      await spent('key', 'k');
      const sums = new DailySums();
      sums.addEdge('2026-03-04', '/mcp', false, 3);
      const one = batch({ sums, spendings: [{ scope: 'key:k', atMs: nowMs, amount: 0.5 }] });
      const next = batch({ sums, spendings: one.spendings });
      for (const it of [one, one, next, one, next, { ...one, writer: 'two' }]) await store.activityWrites.write(it);
      assert.equal(await spent('key', 'k'), 1.5);
      const [edge] = await store.database.db.selectFrom('daily_edge').selectAll().execute();
      assert.deepEqual([edge?.failed_requests, edge?.successful_requests], [9, 0]);
    });

    it('is the same for many owners and windows that are asked for at once as for each alone', async () => {
      const people = [
        { api_key: 'k', team_id: 't', user: 'u', organization_id: 'o' },
        { api_key: 'l', user: 'u', end_user: 'e' },
        { api_key: 'l', user: 'v', agent_id: 'a', session_id: 's' },
      ];
      const days = ['2026-03-02T10:00:00.000Z', '2026-03-03T10:00:00.000Z', at];
      const calls = days.flatMap((day, d) => people.map((who, p) => line(`r${d}${p}`, day, 2 ** (3 * d + p), who)));
      await write(linesOf(calls));
      const owners: readonly (readonly [OwnerType, string])[] = [
        ...['k', 'l', 'none'].map((id) => ['key', id] as const),
        ...['u', 'v'].map((id) => ['user', id] as const),
        ['team', 't'],
        ['team_member', 't/u'],
        ['organization', 'o'],
        ['end_user', 'e'],
        ['agent', 'a'],
        ['session', 'a/s'],
        ['global', 'all'],
      ];
      const starts = [0, ...days.map((it) => Date.parse(it)), Date.parse('2026-03-03')];
      const asked = owners.flatMap(([type, id]) => starts.map((start) => [type, id, start] as const));
      const alone: number[] = [];
      for (const it of asked) alone.push(await spent(...it));
      await store.database.db.deleteFrom('budget_counters').execute();
      assert.deepEqual(await Promise.all(asked.map((it) => spent(...it))), alone);
      assert.deepEqual(alone.slice(0, 3), [1 + 8 + 64, 1 + 8 + 64, 8 + 64]);
      assert.deepEqual(alone.slice(-5), [511, 511, 504, 448, 504]);
      assert.deepEqual(await Promise.all(asked.map((it) => spent(...it))), alone, 'as they are kept');
    });

    it('is counted once where a write broke off and the batch is sent again', async () => {
      let isBroken = true;
      const sums = new DailySums();
      sums.addEdge('2026-03-04', '/mcp', true);
      const breaking: ActivityBatch = {
        ...batch(linesOf([line('r1', at, 2)], sums)),
        get used() {
          if (isBroken) throw new Error('the connection broke');
          return [];
        },
      };
      await assert.rejects(store.activityWrites.write(breaking));
      assert.deepEqual(await rows('spend_logs'), []);
      isBroken = false;
      await store.activityWrites.write(breaking);
      const [day] = await store.database.db.selectFrom('daily_activity').selectAll().execute();
      const [edge] = await store.database.db.selectFrom('daily_edge').selectAll().execute();
      assert.deepEqual([day?.spend, day?.successful_requests, edge?.successful_requests], [2, 1, 2]);
    });

    it('adds up each number of calls that are alike by itself, and counts a call that is there twice once', async () => {
      const numbers = { prompt_tokens: 1, completion_tokens: 10, ...cached(3, 4), request_tags: ['x', 'x', 'y'] };
      const more = {
        prompt_tokens: 2,
        completion_tokens: 20,
        ...cached(5, 6),
        request_tags: ['x'],
        status: 'failure' as const,
      };
      await write(linesOf([line('r1', at, 0.5, numbers), line('r1', at, 64, numbers)]));
      await write(linesOf([line('r1', at, 64, numbers), line('r2', at, 0.25, more)]));
      const { db } = store.database;
      const sumsOf = (it: SumColumns) => [
        it.spend,
        it.prompt_tokens,
        it.completion_tokens,
        it.cache_read_input_tokens,
        it.cache_creation_input_tokens,
        it.successful_requests,
        it.failed_requests,
      ];
      const [day, ...others] = await db.selectFrom('daily_activity').selectAll().execute();
      assert.deepEqual([day && sumsOf(day), others.length], [[0.75, 3, 30, 8, 10, 1, 1], 0]);
      const tags = await db.selectFrom('daily_tag_activity').selectAll().orderBy('tag').execute();
      assert.deepEqual(
        tags.map((it) => [it.tag, ...sumsOf(it)]),
        [
          ['x', 0.75, 3, 30, 8, 10, 1, 1],
          ['y', 0.5, 1, 10, 3, 4, 1, 0],
        ],
      );
      const [edge] = await db.selectFrom('daily_edge').selectAll().execute();
      assert.deepEqual([edge?.successful_requests, edge?.failed_requests], [1, 1]);
    });

    it('counts in every window of its owner that its time is in, from the begin on and before the end', async () => {
      for (const [startMs, endMs] of [
        [nowMs, nowMs + HOUR],
        [nowMs - HOUR, nowMs],
        [nowMs - DAY, nowMs + DAY],
      ] as const)
        await spent('key', 'k', startMs, endMs);
      await spent('key', 'other', nowMs, nowMs + HOUR);
      const scope = 'key:k';
      await write({
        spendings: [
          { scope, atMs: nowMs, amount: 1 },
          { scope, atMs: nowMs, amount: 2 },
          { scope, atMs: nowMs - 1, amount: 4 },
          { scope, atMs: nowMs + HOUR - 1, amount: 8 },
          { scope, atMs: nowMs + HOUR, amount: 16 },
        ],
      });
      const all = [
        await spent('key', 'k', nowMs),
        await spent('key', 'k', nowMs - HOUR),
        await spent('key', 'k', nowMs - DAY),
      ];
      assert.deepEqual(all, [11, 4, 31]);
      assert.equal(await spent('key', 'other', nowMs), 0);
    });

    it('counts for each of more owners and sums than one statement takes', async () => {
      const ids = Array.from({ length: 501 }, (_, n) => `k${n}`);
      for (const it of [ids[0], ids[499], ids[500]]) await spent('key', it ?? '');
      const spendings = ids.map((it) => ({ scope: `key:${it}`, atMs: nowMs, amount: 1 }));
      await write({ spendings, ...linesOf(ids.map((it) => line(it, at, 1, { api_key: it }))) });
      for (const it of [ids[0], ids[499], ids[500]]) assert.equal(await spent('key', it ?? ''), 1, it);
      assert.equal((await rows('daily_activity')).length, 501);
    });

    it('is counted from the records once for a window that nobody asked for before, and kept', async () => {
      await write(linesOf([line('r1', at, 2)]));
      const all = await Promise.all([spent('key', 'key'), spent('key', 'key'), spent('key', 'key')]);
      assert.deepEqual(all, [2, 2, 2]);
      await write({ ...linesOf([line('r2', at, 4)]), spendings: [{ scope: 'key:key', atMs: nowMs, amount: 4 }] });
      assert.equal(await spent('key', 'key'), 6);
      await store.reservations.reset('key:other');
      assert.equal(await spent('key', 'key'), 6);
      await store.reservations.reset('key:key');
      assert.equal(await spent('key', 'key'), 0);
    });

    for (const [column, also] of Object.entries({
      api_key: '',
      team_id: '',
      user_id: "and team_id = ''",
      end_user: '',
      agent_id: '',
      organization_id: '',
    }))
      it(`is counted from the sums of its owner alone, found by ${column}`, async () => {
        const plan = await planOf(
          store,
          sql`select sum(spend) from daily_activity
            where ${sql.ref(column)} = 'one' ${sql.raw(also)} and date >= '2026-03-04'`,
        );
        assert.match(plan, new RegExp(`daily_activity_${column}\\b`));
      });

    it('is counted from lines on the day that the window begins in, from its first millisecond, and from sums of later days', async () => {
      const times = [
        '03-02T23:59:59.999',
        '03-03T10:00:00.000',
        '03-03T09:59:59.999',
        '03-04T00:00:00.000',
        '03-04T10:00:00.000',
      ];
      await write(linesOf(times.map((time, n) => line(`r${n}`, `2026-${time}Z`, 2 ** n))));
      for (const [begin, sum] of [
        ['2026-03-03T10:00:00.000Z', 2 + 8 + 16],
        ['2026-03-04T00:00:00.000Z', 8 + 16],
        ['2026-03-03T00:00:00.000Z', 2 + 4 + 8 + 16],
        ['1970-01-01T00:00:00.000Z', 31],
      ] as const)
        assert.equal(await spent('key', 'key', Date.parse(begin)), sum, begin);
      // Lines are let go and sums stay.
      await store.logRetention.forget(nowMs + 1);
      assert.equal(await spent('key', 'key', nowMs - DAY, nowMs, 'again'), 8 + 16);
    });

    it('is counted for those alone whose it is, also where ids have a slash', async () => {
      const whose: readonly Partial<SpendLog>[] = [
        { api_key: 'k1', user: 'u/1', team_id: 't/1' },
        { api_key: 'k1', user: 'u/1' },
        { api_key: 'k2', user: 'u2', team_id: 't/1', organization_id: 'o1' },
        { api_key: 'k2', end_user: 'e1', agent_id: 'a/1', session_id: 's/1' },
        { api_key: 'k2', agent_id: 'a/1', session_id: 's2' },
        { api_key: 'k2', agent_id: 'a2', session_id: 's/1' },
      ];
      await write(linesOf(whose.map((it, n) => line(`r${n}`, at, 2 ** n, it))));
      const sums: readonly (readonly [OwnerType, string, number])[] = [
        ['key', 'k1', 1 + 2],
        ['team', 't/1', 1 + 4],
        ['team_member', pairId('t/1', 'u/1'), 1],
        ['user', 'u/1', 2],
        ['end_user', 'e1', 8],
        ['agent', 'a/1', 8 + 16],
        ['session', pairId('a/1', 's/1'), 8],
        ['organization', 'o1', 4],
        ['global', '', 63],
      ];
      for (const startMs of [0, nowMs])
        for (const [type, id, sum] of sums)
          assert.equal(await spent(type, id, startMs), sum, `${type} from ${startMs}`);
    });

    it('takes away from what its writer had set aside, and from no share of another', async () => {
      await allowance('c1', 5);
      await allowance('c1', 5, nowMs + 1, 'two');
      await allowance('c2', 5);
      await write({ used: [{ counter: 'c1', amount: 2 }] });
      assert.deepEqual(await allowances(), ['c1 one 3', 'c1 two 5', 'c2 one 5']);
    });

    it('is set aside for as long as its holder renews it in time, and says which are still there', async () => {
      for (const it of ['c1', 'c2', 'c3']) await allowance(it, 5, nowMs + (it === 'c2' ? 0 : 1));
      await allowance('c1', 5, nowMs + 1, 'two');
      const renewed = await store.reservations.renew('one', ['c1', 'c2', 'none'], nowMs, nowMs + HOUR);
      assert.deepEqual([...renewed], ['c1']);
      const ends = (await store.database.db.selectFrom('allowances').selectAll().execute())
        .map((it) => `${it.counter} ${it.holder} ${it.expires_at_ms - nowMs}`)
        .sort();
      assert.deepEqual(ends, [`c1 one ${HOUR}`, 'c1 two 1', 'c2 one 0', 'c3 one 1']);
      assert.deepEqual(await store.reservations.renew('one', [], nowMs, nowMs), new Set());
    });

    it('is given back by its holder: some of it, none of it, and all of it', async () => {
      for (const it of ['c1', 'c2']) await allowance(it, 5);
      await allowance('c1', 5, nowMs + 1, 'two');
      await store.reservations.giveBack('one', []);
      assert.equal((await allowances()).length, 3);
      await store.reservations.giveBack('one', ['c1']);
      assert.deepEqual(await allowances(), ['c1 two 5', 'c2 one 5']);
      await store.reservations.giveBack('one');
      assert.deepEqual(await allowances(), ['c1 two 5']);
    });

    it('is forgotten two days after its window, its writer or its share was last of use, and not before', async () => {
      const limit = nowMs - 2 * DAY;
      for (const it of [limit - 1, limit]) {
        await write({ writer: `w ${it}`, atMs: it });
        await spent('key', 'k', limit - DAY, it, `window ${it}`);
        await allowance(`share ${it}`, 1, it);
      }
      await store.activityWrites.tidy(nowMs);
      const { db } = store.database;
      const left = [
        ...(await db.selectFrom('flush_marks').selectAll().execute()).map((it) => it.writer),
        ...(await db.selectFrom('budget_counters').selectAll().execute()).map((it) => it.counter),
        ...(await db.selectFrom('allowances').selectAll().execute()).map((it) => it.counter),
      ];
      assert.deepEqual(left, [`w ${limit}`, `window ${limit}`, `share ${limit}`]);
    });

    it('stays in the lines that begin when those of before are let go, the oldest first', async () => {
      await write(linesOf([line('before', new Date(nowMs - 1).toISOString(), 1), line('at', at, 1)]));
      assert.equal(await store.logRetention.forget(nowMs), 1);
      const [left] = await store.database.db.selectFrom('spend_logs').selectAll().execute();
      assert.equal(left?.request_id, 'at');
    });
  });
}

const cached = (cache_read_input_tokens: number, cache_creation_input_tokens: number) => ({
  cache_read_input_tokens,
  cache_creation_input_tokens,
});
