import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { openActivity } from '../../../../sidecar/gateway/activity/activity.ts';
import { ALL_DAYS, dailyActivity } from '../../../../sidecar/gateway/activity/dailyActivity.ts';
import { endpointActivity, endpointActivityCsv } from '../../../../sidecar/gateway/activity/endpointActivity.ts';
import { gatewayDaily } from '../../../../sidecar/gateway/activity/gatewayDaily.ts';
import type { DaysAsked } from '../../../../sidecar/gateway/activity/namedDays.ts';
import { exportedSpendLogs, spendLogsV2 } from '../../../../sidecar/gateway/activity/spendLogs.ts';
import { surfaceOf } from '../../../../sidecar/gateway/http/routes.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { breakdowns, type SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import {
  DailyActivityQuery,
  EndpointActivityQuery,
  type EntityKind,
  SpendLogsQuery,
} from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import type { ExportFormat } from '../../../../sidecar/protocol/gateway/csv.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { stillTimers } from '../../../support/manualTimers.ts';
import { keepingLog } from '../../../support/testLog.ts';
import { verifies } from '../../../support/verifies.ts';
import { tellsTheCallsOfRecords } from './recordCalls.ts';
import { calls, key1, key2 } from './recordedCalls.ts';

/** What pages and read APIs are told, on either database. */
export function readsContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`reading of activity on ${name}`, () => {
    const clock = new StandingClock('2026-03-01T00:00:00Z');
    let place: StorePlace;
    let store: GatewayStore;
    before(async function start() {
      place = await open();
      store = await place.open(clock);
      const at = clock.now();
      const key = {
        token: key1,
        token_id: 'k1',
        key_name: 'sk-...1',
        key_alias: 'one',
        team_id: 't1',
        user_id: 'u1',
        rotation_count: 0,
        created_at: at,
        updated_at: at,
      };
      await store.key.insert(key);
      await store.user.insert({ user_id: 'u1', user_email: 'ann@example.invalid', created_at: at, updated_at: at });
      const activity = openActivity({ store, clock, timers: stillTimers, newId: randomUUID, log: keepingLog().log });
      for (const [n, [time, who, endpoint, tool, outcome, ms]] of calls.entries()) {
        clock.setTo(time);
        const first = {
          endpoint,
          call_type: 'call',
          model: tool === '' ? 'a2a_agent/one' : `MCP: ${tool}`,
          ...(tool === 'math/sub' && { model_group: 'smart' }),
          ...(tool && { mcp_namespaced_tool_name: tool }),
        };
        const recording = activity.begin(`r${n}`, { api_key: '', ...who }, first);
        clock.pass(ms);
        recording.finish(outcome);
      }
      activity.refused('/mcp');
      await activity.close();
    });
    after(async () => {
      await store.close();
      place.remove();
    });

    const daily = (entity: EntityKind, more: object = {}, breakdown?: DaysAsked['breakdown']) =>
      dailyActivity(store.activityReads, entity, {
        ...DailyActivityQuery.parse({ start_date: '2026-03-01', end_date: '2026-03-05', ...more }),
        breakdown,
      });
    for (const entity of ['user', 'team', 'agent', 'customer', 'organization', 'tag'] as const)
      for (const page of [1, 2])
        it(`has the same sums of each ${entity} with a breakdown that is asked for, on page ${page}`, async () => {
          const pages = { page, page_size: 2 };
          const whole = await daily(entity, pages);
          const wanted = [...breakdowns, 'api_keys' as const];
          const withoutKeys = (all: (typeof whole)['results'][number]['breakdown']) => ({
            ...Object.fromEntries(
              breakdowns.map((name) => [
                name,
                Object.fromEntries(Object.entries(all[name]).map(([of, it]) => [of, { ...it, api_key_breakdown: {} }])),
              ]),
            ),
            api_keys: all.api_keys,
          });
          assert.deepEqual(await daily(entity, pages, wanted), {
            ...whole,
            results: whole.results.map((it) => ({ ...it, breakdown: withoutKeys(it.breakdown) })),
          });
          const [one] = (await daily(entity, pages, ['models'])).results;
          assert.deepEqual(one?.breakdown.entities ?? {}, {});
          assert.deepEqual(one?.metrics, whole.results[0]?.metrics);
        });

    const endpoints = (more: object = {}) =>
      endpointActivity(
        store.activityReads,
        EndpointActivityQuery.parse({ start_date: '2026-03-01', end_date: '2026-03-05', ...more }),
      );
    const logs = async (query: object) => {
      const found = await spendLogsV2(store.spendLogs, SpendLogsQuery.parse(query));
      return found.data.map((it) => it.request_id).join(' ');
    };

    it('breaks a day down by server, model, endpoint, entity and key', async () => {
      const { results, metadata } = await daily('team', { entity_ids: 't1' });
      assert.deepEqual(
        results.map((it) => [it.date, it.metrics.api_requests, it.metrics.spend]),
        [
          ['2026-03-04', 1, 0.25],
          ['2026-03-01', 2, 0.5],
        ],
      );
      const metrics = {
        spend: 0.5,
        flat_cost: 0,
        prompt_tokens: 20,
        completion_tokens: 3,
        total_tokens: 23,
        cache_read_input_tokens: 11,
        cache_creation_input_tokens: 7,
        successful_requests: 1,
        failed_requests: 1,
        api_requests: 2,
      };
      const facts = { key_alias: 'one', team_id: 't1', user_id: 'u1', user_email: 'ann@example.invalid' };
      const byKey = { [key1]: { metrics, metadata: facts } };
      const whole = { metrics, metadata: {}, api_key_breakdown: byKey };
      const { models, model_groups, ...rest } = results[1]?.breakdown ?? assert.fail();
      assert.deepEqual(Object.keys(models).toSorted(), ['MCP: math/add', 'MCP: math/sub']);
      assert.deepEqual(Object.keys(model_groups), ['smart']);
      assert.deepEqual(rest, {
        mcp_servers: { math: whole },
        providers: {},
        endpoints: { '/mcp': whole },
        entities: { t1: whole },
        api_keys: byKey,
      });
      assert.deepEqual(metadata, {
        total_spend: 0.75,
        total_flat_cost: 0,
        total_prompt_tokens: 20,
        total_completion_tokens: 3,
        total_tokens: 23,
        total_api_requests: 3,
        total_successful_requests: 2,
        total_failed_requests: 1,
        total_cache_read_input_tokens: 11,
        total_cache_creation_input_tokens: 7,
        page: 1,
        total_pages: 1,
        has_more: false,
      });
    });

    tellsTheCallsOfRecords(() => store);

    const kinds: readonly (readonly [EntityKind, readonly string[], number])[] = [
      ['user', ['u1'], 5],
      ['team', ['t1', 't2'], 4],
      ['agent', [], 0],
      ['customer', ['e1'], 1],
      ['organization', ['o1'], 1],
      ['tag', ['x', 'y'], 3],
    ];
    for (const [kind, entities, requests] of kinds) {
      it(`knows the days of each ${kind}`, async () => {
        const { results, metadata } = await daily(kind);
        const found = new Set(results.flatMap((it) => Object.keys(it.breakdown.entities)));
        assert.deepEqual([[...found].toSorted(), metadata.total_api_requests], [entities, requests]);
      });
    }

    it('gives days by page, whose totals add up to those of the range', async () => {
      const pages = await Promise.all([1, 2, 3].map((page) => daily('user', { page, page_size: 1 })));
      assert.deepEqual(
        pages.map((it) => [
          it.results[0]?.date,
          it.metadata.total_api_requests,
          it.metadata.has_more,
          it.metadata.total_pages,
        ]),
        [
          ['2026-03-04', 2, true, 3],
          ['2026-03-02', 1, true, 3],
          ['2026-03-01', 2, false, 3],
        ],
      );
      assert.deepEqual((await daily('user', { page: 9 })).results, []);
      const all = DailyActivityQuery.parse({ start_date: '2026-03-01', end_date: '2026-03-05' });
      const whole = await dailyActivity(store.activityReads, 'user', { ...all, page_size: ALL_DAYS });
      assert.deepEqual([whole.results.length, whole.metadata.total_pages], [3, 1]);
    });

    it('keeps to a key, a model and to nothing', async () => {
      assert.equal((await daily('user', { api_key: key2 })).metadata.total_spend, 2);
      assert.equal((await daily('user', { model: 'MCP: web/get' })).metadata.total_api_requests, 2);
      assert.equal((await daily('user', { entity_ids: [] })).metadata.total_api_requests, 0);
    });

    it("widens the range by the UTC day that the caller's days reach into", async () => {
      const only = async (more: object) => (await daily('user', more)).results.map((it) => it.date);
      const day = { start_date: '2026-03-03', end_date: '2026-03-03' };
      assert.deepEqual(await only(day), []);
      assert.deepEqual(await only({ ...day, timezone: 480 }), ['2026-03-04']);
      assert.deepEqual(await only({ ...day, timezone: -60 }), ['2026-03-02']);
      clock.setTo('2026-03-04T02:00:00Z');
      assert.deepEqual(await only({ ...day, timezone: 0, include_current_utc_day: true }), []);
      assert.deepEqual(await only({ ...day, timezone: 480, include_current_utc_day: true }), ['2026-03-04']);
    });

    it('has the seven metrics of each endpoint with a point for each day', async () => {
      const found = await endpoints();
      assert.deepEqual(
        found.endpoints.map(({ daily: days, ...it }) => [it, days.map((day) => day.total_requests)]),
        [
          [
            {
              endpoint: '/mcp',
              successful_requests: 3,
              failed_requests: 1,
              total_requests: 4,
              success_rate: 75,
              total_tokens: 23,
              spend: 0.75,
            },
            [2, 0, 0, 2, 0],
          ],
          [
            {
              endpoint: '/a2a/{agent_id}',
              successful_requests: 1,
              failed_requests: 0,
              total_requests: 1,
              success_rate: 100,
              total_tokens: 0,
              spend: 2,
            },
            [0, 1, 0, 0, 0],
          ],
        ],
      );
      assert.deepEqual([found.totals.total_requests, found.daily.length], [5, 5]);
      assert.equal(found.daily[2]?.success_rate, null);
    });

    it('keeps endpoints to a key, a team and a tag', async () => {
      assert.equal((await endpoints({ api_key: key1 })).totals.total_requests, 3);
      assert.equal((await endpoints({ team_id: 't2' })).totals.spend, 2);
      assert.equal((await endpoints({ tag: 'y' })).totals.total_requests, 1);
      assert.equal((await endpoints({ tag: 'x', team_id: 't1', api_key: key1 })).totals.total_requests, 2);
      assert.equal((await endpoints({ tag: 'x', team_id: 't2' })).totals.success_rate, null);
    });

    it('gives the table of endpoints as CSV', async () => {
      assert.deepEqual(endpointActivityCsv(await endpoints()).split('\r\n'), [
        'endpoint,successful_requests,failed_requests,total_requests,success_rate,total_tokens,spend',
        '/mcp,3,1,4,75,23,0.75',
        '/a2a/{agent_id},1,0,1,100,0,2',
        '',
      ]);
    });

    it('refuses a range that ends before it begins, or is longer than 400 days', async () => {
      assert.throws(
        () => EndpointActivityQuery.parse({ start_date: '2026-03-02', end_date: '2026-03-01' }),
        /end_date/,
      );
      await assert.rejects(endpoints({ start_date: '2024-01-01' }), {
        code: 'invalid_params',
        data: { field: 'end_date' },
      });
    });

    it('counts every request at the edge, also that of nobody', async () => {
      assert.deepEqual(
        await gatewayDaily(store.activityReads, { start_date: '2026-03-02', end_date: '2026-03-04' }, surfaceOf),
        {
          total_successful_requests: 3,
          total_failed_requests: 1,
          by_date: [
            { date: '2026-03-02', successful_requests: 1, failed_requests: 0 },
            { date: '2026-03-04', successful_requests: 2, failed_requests: 1 },
          ],
          by_route: [
            { category: 'a2a', route: '/a2a/{agent_id}', successful_requests: 1, failed_requests: 0 },
            { category: 'mcp', route: '/mcp', successful_requests: 2, failed_requests: 1 },
          ],
        },
      );
    });

    const filters: readonly (readonly [query: Readonly<Record<string, unknown>>, ids: string])[] = [
      [{}, 'r4 r3 r2 r1 r0'],
      [{ start_date: '2026-03-02', end_date: '2026-03-04' }, 'r4 r3 r2'],
      [{ start_date: '2026-03-01 11:00:00', end_date: '2026-03-04T23:30:00Z' }, 'r3 r2 r1'],
      [{ api_key: key1 }, 'r3 r1 r0'],
      [{ user_id: 'u1', status_filter: 'success' }, 'r3 r0'],
      [{ team_id: 't2,t3' }, 'r2'],
      [{ end_user: 'e1' }, 'r2'],
      [{ request_id: 'r3' }, 'r3'],
      [{ session_id: 's1' }, 'r1 r0'],
      [{ trace_id: 'tr1' }, 'r0'],
      [{ trace_id: 's1' }, ''],
      [{ key_alias: 'one' }, 'r3 r1 r0'],
      [{ model: 'a2a_agent/one' }, 'r2'],
      [{ model_id: 'MCP: math/add' }, 'r0'],
      [{ model_group: 'smart' }, 'r1'],
      [{ model_group: 'MCP: math/add' }, ''],
      [{ error_code: 'rate_limited' }, 'r1'],
      [{ error_message: 'too 100%' }, 'r1'],
      [{ error_message: 'too_100' }, ''],
      [{ min_spend: 0.25, max_spend: '0.5' }, 'r3 r0'],
      [{ search: 'A2A' }, 'r2'],
      [{ search: 's1' }, 'r1 r0'],
      [{ search: 'S1' }, ''],
      [{ search: 'Math' }, 'r1 r0'],
      [{ search: 'math', end_date: '2026-03-01T10:30:00Z' }, 'r0'],
      [{ search: 'math', start_date: '2026-03-02' }, ''],
      [{ search: 'mcp' }, 'r4 r3 r1 r0'],
      [{ search: 'E1' }, 'r2'],
      [{ search: 'too 100%' }, 'r1'],
      [{ search: 'r' }, 'r4 r3 r2 r1 r0'],
      [{ search: 'm', model: 'a2a_agent/one' }, ''],
      [{ search: 'a', model: 'a2a_agent/one' }, 'r2'],
      [{ search: '%' }, 'r1'],
      [{ search: '_' }, 'r2'],
      [{ search: 'nobody' }, ''],
      [{ group_by_session: 'true' }, 'r4 r3 r2 r1'],
      [{ sort_by: 'spend' }, 'r2 r0 r3 r4 r1'],
      [{ sort_by: 'spend', sort_order: 'asc' }, 'r1 r4 r3 r0 r2'],
      [{ sort_by: 'total_tokens', page_size: 1 }, 'r0'],
      [{ sort_by: 'request_duration_ms' }, 'r2 r0 r1 r4 r3'],
      [{ sort_by: 'endTime', sort_order: 'asc', page: 2, page_size: 2 }, 'r2 r3'],
      [{ sort_by: 'model', sort_order: 'asc', page_size: 1, page: 5 }, 'r2'],
      [{ sort_by: 'ttft_ms' }, 'r4 r3 r2 r1 r0'],
    ];
    for (const [query, ids] of filters)
      it(`finds "${ids}" in the log for ${JSON.stringify(query).replaceAll(key1, 'K')}`, async () =>
        assert.equal(await logs(query), ids));

    it('says how many lines and pages there are', async () => {
      const { data, ...rest } = await spendLogsV2(store.spendLogs, SpendLogsQuery.parse({ page_size: 2, page: 3 }));
      assert.deepEqual([data.length, rest], [1, { total: 5, page: 3, page_size: 2, total_pages: 3 }]);
    });

    async function exportedAs(format: ExportFormat, query: object): Promise<string> {
      let text = '';
      for await (const piece of exportedSpendLogs(store.spendLogs, SpendLogsQuery.parse(query), format)) text += piece;
      return text;
    }

    it('gives the log as CSV, piece by piece, where no cell is a formula', async () => {
      const csv = await exportedAs('csv', { api_key: key1 });
      const lines = csv.split('\r\n');
      assert.deepEqual([lines.length, lines[0]?.split(',')[0], lines[1]?.split(',')[0]], [5, 'request_id', 'r3']);
      assert.ok(lines[3]?.endsWith(',x;y'));
    });

    it('gives the log of a day as JSON Lines, with everything that is kept of a call', async () => {
      verifies('gateway.export.spend');
      const text = await exportedAs('jsonl', { api_key: key1 });
      const lines = text.trimEnd().split('\n');
      const parsed = lines.map((it) => JSON.parse(it) as SpendLog);
      const { data } = await spendLogsV2(store.spendLogs, SpendLogsQuery.parse({ api_key: key1 }));
      assert.deepEqual(parsed, data);
      assert.equal(await exportedAs('jsonl', { start_date: '2001-01-01', end_date: '2001-01-01' }), '');
    });

    it('reads all lines once, however small the pieces are', async () => {
      const ids: string[] = [];
      for await (const piece of store.spendLogs.all(SpendLogsQuery.parse({}), 2))
        ids.push(...piece.map((it) => it.request_id));
      assert.deepEqual(ids, ['r4', 'r3', 'r2', 'r1', 'r0']);
    });

    it('finds words that are in hundreds of sessions, end users or errors', async () => {
      const activity = openActivity({ store, clock, timers: stillTimers, newId: randomUUID, log: keepingLog().log });
      const first = { endpoint: '/mcp', call_type: 'call', model: 'MCP: one' };
      const count = 250;
      for (let n = 0; n < count; n += 1)
        activity
          .begin(`q${n}`, { api_key: '', session_id: `often-${n}`, end_user: `many-${n}` }, first)
          .finish({ status: 'failure', error: `Failed ${n}` });
      await activity.close();
      for (const search of ['often', 'MANY', 'failed', 'one'])
        assert.equal((await store.spendLogs.page(SpendLogsQuery.parse({ search }))).total >= count, true, search);
      const { total } = await store.spendLogs.page(SpendLogsQuery.parse({ search: 'often-24' }));
      assert.equal(total, 11, 'often-24 and often-240 to often-249');
    });
  });
}
