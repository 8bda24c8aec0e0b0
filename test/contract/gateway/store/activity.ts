import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { type Activity, openActivity } from '../../../../sidecar/gateway/activity/activity.ts';
import { FORGOTTEN_AT_ONCE } from '../../../../sidecar/gateway/storage/activity/logRetention.ts';
import { fromRow } from '../../../../sidecar/gateway/storage/activity/spendLogRow.ts';
import type { SumColumns } from '../../../../sidecar/gateway/storage/database/activityTables.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import { callLines } from '../../../support/gateway/activityLines.ts';
import { type ArbitraryCall, arbitraryCalls } from '../../../support/gateway/arbitraryCalls.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { stillTimers } from '../../../support/manualTimers.ts';
import { keepingLog } from '../../../support/testLog.ts';

/** What the records of calls owe everybody, on either database. */
export function activityContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`the records of calls on ${name}`, () => {
    const clock = new StandingClock('2026-03-04T10:00:00.000Z');
    let place: StorePlace;
    let store: GatewayStore;
    let activity: Activity;
    before(async function start() {
      place = await open();
      store = await place.open(clock);
      activity = openActivity({ store, clock, timers: stillTimers, newId: randomUUID, log: keepingLog().log });
    });
    after(async () => {
      await activity.close();
      await store.close();
      place.remove();
    });

    /** Until the lines are in the log. */
    const flush = async () => {
      await activity.flush();
      await store.logLines.enterAll();
    };
    const run = ({ requestId, who, first, outcome, tookMs, restMs }: ArbitraryCall) => {
      const recording = activity.begin(requestId, who, first);
      clock.pass(tookMs);
      recording.finish(outcome);
      clock.pass(restMs);
    };
    const sums = ['log_days', 'daily_activity', 'daily_tag_activity', 'daily_edge'] as const;
    const tables = ['spend_logs', 'incoming_lines', ...sums, 'flush_marks'] as const;
    const empty = async () => {
      for (const it of tables) await store.database.db.deleteFrom(it).execute();
    };
    const countedLines = async () => {
      const days = await store.database.db.selectFrom('log_days').selectAll().execute();
      return days.reduce((sum, it) => sum + Number(it.lines), 0);
    };
    const sumsNow = async () => {
      const tables = sums.map((it) => store.database.db.selectFrom(it).selectAll().execute());
      return (await Promise.all(tables))
        .flat()
        .map((it) => JSON.stringify(it))
        .sort();
    };
    const logs = async () =>
      (await store.database.db.selectFrom('spend_logs').selectAll().execute()).map((it) => fromRow(it));

    it('add up, by endpoint, day, key, team and every other column and by tag, to a recount of the lines', async () => {
      await fc.assert(
        fc
          .asyncProperty(fc.array(arbitraryCalls, { minLength: 1, maxLength: 3 }), async (batches) => {
            for (const calls of batches) {
              for (const call of calls) run(call);
              await flush();
            }
            const lines = await logs();
            assert.equal(lines.length, batches.flat().length);
            const { db } = store.database;
            const calls = await db.selectFrom('daily_activity').selectAll().execute();
            for (const [column, of] of Object.entries(columns))
              assert.deepEqual(
                counted(calls.map((it) => [it[column as keyof typeof columns], toCount(it)])),
                counted(lines.map((it) => [of(it), countOf(it)])),
                column,
              );
            const tags = await db.selectFrom('daily_tag_activity').selectAll().execute();
            assert.deepEqual(
              counted(tags.map((it) => [`${it.tag} ${it.endpoint} ${it.date} ${it.team_id}`, toCount(it)])),
              counted(
                lines.flatMap((it) =>
                  [...new Set(it.request_tags)].map((tag): [string, Count] => [
                    `${tag} ${it.endpoint} ${it.startTime.slice(0, 10)} ${it.team_id ?? ''}`,
                    countOf(it),
                  ]),
                ),
              ),
            );
            const edge = await db.selectFrom('daily_edge').selectAll().orderBy('date').orderBy('endpoint').execute();
            assert.equal(
              edge.reduce((sum, it) => sum + it.successful_requests + it.failed_requests, 0),
              lines.length,
            );
          })
          .beforeEach(empty),
        { numRuns: 25 },
      );
    });

    it('are each that of its call, whatever its texts are, and stay so when another replica sends them as well', async () => {
      const text = fc.string({
        unit: fc.constantFrom('a', '"', '\\', ',', '],[', '\0', '\n', '\u2028', '\ud800', 'é', '🙂', "'", '$1', '?'),
        maxLength: 8,
      });
      const odd = fc.record({ user_id: text, session_id: text, model: text, error: text, error_code: text, tag: text });
      const oddCalls = fc.array(fc.tuple(arbitraryCalls, odd), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc
          .asyncProperty(oddCalls, async (all) => {
            const ended: SpendLog[] = [];
            const stop = activity.listen((call) => void ended.push(callLines([call]).read(0)));
            for (const [calls, { user_id, session_id, model, error, error_code, tag }] of all)
              for (const { who, first, outcome, ...call } of calls)
                run({
                  ...call,
                  who: { ...who, user_id, session_id, tags: [tag, ...(who.tags ?? [])] },
                  first: { ...first, model },
                  outcome: { ...outcome, error, error_code },
                });
            stop();
            const batch = activity.queue.next(clock.nowMs());
            await flush();
            const before = await sumsNow();
            if (batch) await store.activityWrites.write({ ...batch, writer: 'another' });
            await store.logLines.enterAll();
            const byId = (one: SpendLog, other: SpendLog) => (one.request_id < other.request_id ? -1 : 1);
            assert.deepEqual((await logs()).toSorted(byId), ended.toSorted(byId));
            assert.deepEqual(await sumsNow(), before);
          })
          .beforeEach(empty),
        { numRuns: 15 },
      );
    });

    it('are written once, even when a batch is sent again after the store had taken it', async () => {
      await empty();
      activity
        .begin('r1', { api_key: 'k' }, { endpoint: '/mcp', call_type: 'x', model: 'm' })
        .finish({ status: 'success', spend: 1 });
      const batch = activity.queue.next(clock.nowMs());
      assert.ok(batch);
      await store.activityWrites.write(batch);
      await flush();
      assert.equal((await logs()).length, 1);
      const row = await store.database.db.selectFrom('daily_activity').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([row.spend, row.successful_requests], [1, 1]);
    });

    it('are counted once where two batches hold the same request', async () => {
      await empty();
      for (let n = 0; n < 2; n += 1) {
        for (const requestId of ['same', `own-${n}`])
          activity
            .begin(requestId, { api_key: 'k' }, { endpoint: '/mcp', call_type: 'x', model: 'm' })
            .finish({ status: 'failure', error: 'no' });
        await flush();
      }
      const row = await store.database.db.selectFrom('daily_activity').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([(await logs()).length, row.failed_requests, await countedLines()], [3, 3, 3]);
    });

    it('are in the log as soon as somebody reads it, and are all in their budget', async () => {
      await empty();
      for (const spend of [1, 2]) {
        activity
          .begin(
            `r${spend}`,
            { api_key: 'k', session_id: 's', agent_id: 'a' },
            { endpoint: '/mcp', call_type: 'x', model: 'm' },
          )
          .finish({ status: 'success', spend });
        await activity.flush();
      }
      const counter = { counter: 'c', scope: 'session:a/s', startMs: 0, endMs: clock.nowMs() + 1 };
      assert.equal(await store.reservations.spent({ ...counter, owner: { type: 'session', id: 'a/s' } }), 3);
      activity
        .begin('r4', { api_key: 'k', session_id: 's', agent_id: 'a' }, { endpoint: '/mcp', call_type: 'x', model: 'm' })
        .finish({ status: 'failure', error: 'no' });
      await activity.flush();
      assert.equal(await store.recordCalls.lastStartedMs({ column: 'api_key', value: 'k' }), clock.nowMs());
      assert.deepEqual(await store.alertReads.counts(0), { calls: 3, failed: 1 });
      const found = await store.spendLogs.page(SpendLogsQuery.parse({ sort_by: 'spend' }));
      assert.deepEqual([found.data.map((it) => it.spend), found.total], [[2, 1, 0], 3]);
      await store.database.db.deleteFrom('budget_counters').execute();
    });

    it('enter the log some at a time, as long as nobody stops it', async () => {
      await empty();
      for (const calls of [1, 1, 1_500, 600]) {
        for (let n = 0; n < calls; n += 1)
          activity
            .begin(randomUUID(), { api_key: 'k' }, { endpoint: '/mcp', call_type: 'x', model: 'm' })
            .finish({ status: 'success' });
        await activity.flush();
      }
      const { db, kind } = store.database;
      const waiting = async () =>
        (await db.selectFrom('incoming_lines').select('lines').execute()).map((it) => it.lines);
      const isAtOnce = kind === 'postgres';
      assert.deepEqual(await waiting(), isAtOnce ? [] : [1, 1, 1_500, 600]);
      await store.logLines.enterAll(() => false);
      assert.deepEqual(await waiting(), isAtOnce ? [] : [600]);
      await store.logLines.enterAll();
      assert.deepEqual([await waiting(), (await logs()).length], [[], 2_102]);
    });

    it('are written and can be read, however many tokens a backend claims to have used', async () => {
      await empty();
      const claimed = Number.MAX_SAFE_INTEGER;
      const tokens = { prompt_tokens: claimed, completion_tokens: claimed, cache_read_input_tokens: claimed };
      const calls = 1_100; // their sum does not fit into 64 bits
      for (let n = 0; n < calls; n += 1)
        activity
          .begin(`r${n}`, { api_key: 'k' }, { endpoint: '/chat', call_type: 'x', model: 'm' })
          .finish({ status: 'success', ...tokens });
      await flush();
      const { data, total } = await store.spendLogs.page(SpendLogsQuery.parse({}));
      const line = data[0]!;
      assert.deepEqual([total, line.total_tokens], [calls, line.prompt_tokens + line.completion_tokens]);
      const row = await store.database.db.selectFrom('daily_activity').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([row.prompt_tokens, row.successful_requests], [calls * line.prompt_tokens, calls]);
    });

    it('are let go once they are too old, however many they are; their sums and younger ones stay', async () => {
      await empty();
      const old = { endpoint: '/mcp', call_type: 'call', model: 'old' };
      const count = 2 * FORGOTTEN_AT_ONCE + 1;
      for (let at = 0; at < count; at += 1)
        activity.begin(`old-${at}`, { api_key: '' }, old).finish({ status: 'success', spend: 1 });
      await flush();
      clock.pass(1_000);
      const beforeMs = clock.nowMs();
      activity.begin('young', { api_key: '' }, old).finish({ status: 'success', spend: 1 });
      await flush();
      assert.equal(await countedLines(), count + 1);
      assert.equal(await store.logRetention.forget(beforeMs), count);
      assert.equal(await countedLines(), 1);
      assert.deepEqual(
        (await logs()).map((it) => it.request_id),
        ['young'],
      );
      const sums = await store.database.db.selectFrom('daily_activity').select('successful_requests').execute();
      assert.equal(
        sums.reduce((sum, it) => sum + it.successful_requests, 0),
        count + 1,
      );
      assert.equal(await store.logRetention.forget(beforeMs), 0);
    });

    it('are read whole from lines that an earlier version wrote, which hold each value twice', async () => {
      await empty();
      const [call] = fc.sample(arbitraryCalls, { numRuns: 1, seed: 7 })[0] ?? [];
      assert.ok(call);
      run(call);
      await flush();
      const [line] = await logs();
      const { db } = store.database;
      await db
        .updateTable('spend_logs')
        .set({ body: JSON.stringify(line) })
        .execute();
      assert.deepEqual(await logs(), [line]);
      assert.deepEqual((await store.spendLogs.page(SpendLogsQuery.parse({}))).data, [line]);
    });

    it('count a caller whom nobody knows at the edge, and nowhere else', async () => {
      await empty();
      activity.refused('/mcp');
      activity.refused('/mcp');
      await flush();
      const edge = await store.database.db.selectFrom('daily_edge').selectAll().execute();
      assert.deepEqual(
        edge.map((it) => [it.endpoint, it.successful_requests, it.failed_requests]),
        [['/mcp', 0, 2]],
      );
      assert.deepEqual(await logs(), []);
    });
  });
}

type Count = readonly number[];

/** The columns that calls are told apart by, and where a line has them. */
const columns = {
  endpoint: (it: SpendLog) => it.endpoint,
  date: (it: SpendLog) => it.startTime.slice(0, 10),
  api_key: (it: SpendLog) => it.api_key,
  team_id: (it: SpendLog) => it.team_id ?? '',
  organization_id: (it: SpendLog) => it.organization_id ?? '',
  user_id: (it: SpendLog) => it.user ?? '',
  end_user: (it: SpendLog) => it.end_user ?? '',
  agent_id: (it: SpendLog) => it.agent_id ?? '',
  model: (it: SpendLog) => it.model,
  provider: (it: SpendLog) => it.custom_llm_provider ?? '',
  mcp_namespaced_tool_name: (it: SpendLog) => it.mcp_namespaced_tool_name ?? '',
};

const toCount = (it: SumColumns): Count => [
  it.spend,
  it.prompt_tokens,
  it.completion_tokens,
  it.cache_read_input_tokens,
  it.cache_creation_input_tokens,
  it.successful_requests,
  it.failed_requests,
];

function countOf(it: SpendLog): Count {
  const isSuccess = it.status === 'success';
  const { spend, prompt_tokens, completion_tokens, cache_read_input_tokens, cache_creation_input_tokens } = it;
  const tokens = [prompt_tokens, completion_tokens, cache_read_input_tokens, cache_creation_input_tokens];
  return [spend, ...tokens, isSuccess ? 1 : 0, isSuccess ? 0 : 1];
}

function counted(items: readonly (readonly [name: string, count: Count])[]): Readonly<Record<string, Count>> {
  const sums: Record<string, Count> = {};
  for (const [name, count] of items) sums[name] = count.map((it, at) => it + (sums[name]?.[at] ?? 0));
  return sums;
}
