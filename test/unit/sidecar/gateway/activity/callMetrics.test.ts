import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'mocha';
import { openActivity } from '../../../../../sidecar/gateway/activity/activity.ts';
import { CallMetrics, MOST } from '../../../../../sidecar/gateway/activity/callMetrics.ts';
import { surfaceOf } from '../../../../../sidecar/gateway/http/routes.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the metrics of calls', () => {
  const clock = new StandingClock('2026-01-01T00:00:00Z');
  /** A call as the surfaces record it. */
  function calling() {
    const metrics = new CallMetrics(surfaceOf);
    const store = { activityWrites: { write: async () => undefined } } as never;
    const activity = openActivity({
      store,
      clock,
      timers: stillTimers,
      newId: randomUUID,
      log: keepingLog().log,
      metrics,
    });
    const call = (server: string, ms: number, error_code?: string, endpoint = '/{server}/mcp') => {
      const facts = { endpoint, call_type: 'call', model: 'm' };
      const recording = activity.begin(`${Math.random()}`, { api_key: '' }, facts);
      if (server !== '') recording.note({ mcp_namespaced_tool_name: `${server}/tool` });
      clock.pass(ms);
      const outcome =
        error_code === undefined ? { status: 'success' as const } : { status: 'failure' as const, error_code };
      recording.finish(outcome);
      recording.finish(outcome);
    };
    interface Asked {
      readonly api_key?: string;
      readonly team_id?: string;
      readonly endpoint?: string;
      readonly mcp_namespaced_tool_name?: string;
      readonly model_group?: string;
      readonly spend?: number;
    }
    const ask = (
      { api_key = '', team_id, endpoint = '/{server}/mcp', spend, ...noted }: Asked,
      status: 'success' | 'failure' = 'success',
    ) => {
      const recording = activity.begin('1', { api_key, team_id }, { endpoint, call_type: 'call', model: 'm' });
      recording.note(noted);
      recording.finish({ status, spend });
    };
    return { metrics, call, ask, activity };
  }

  it('count each call once by surface, server and outcome, and each failure by its error', () => {
    verifies('gateway.metrics.calls');
    const { metrics, call, activity } = calling();
    call('files', 1);
    call('files', 1);
    call('files', 1, 'timeout');
    call('', 1, undefined, '/mcp');
    for (const endpoint of ['/a2a/{agent_id}', '/cloudagents/v0/me', '/mcp-rest/tools/call', '/key/list'])
      call('', 1, undefined, endpoint);
    activity.refused('/a2a/{agent_id}');
    assert.deepEqual(
      [...metrics.calls].map((it) => `${it.surface} ${it.server} ${it.status} ${it.count}`),
      [
        'mcp files success 2',
        'mcp files failure 1',
        'mcp  success 1',
        'a2a  success 1',
        'cloudagents  success 1',
        'rest  success 1',
        'management  success 1',
      ],
    );
    assert.deepEqual([...metrics.errors], [{ surface: 'mcp', server: 'files', code: 'timeout', count: 1 }]);
    assert.deepEqual([...metrics.refusals], [{ surface: 'a2a', count: 1 }]);
  });

  it('put each duration below its bound, and what is above all into the last place', () => {
    verifies('gateway.metrics.latency');
    const { metrics, call } = calling();
    for (const ms of [5, 6, 1_000, 61_000]) call('files', ms);
    const [found] = metrics.durations;
    assert.deepEqual(found?.whole.counts, [1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
    assert.ok(Math.abs(found.whole.sum - 62.011) < 1e-9);
    assert.deepEqual(
      [found.firstByte.counts.reduce((sum, it) => sum + it, 0), found.firstByte.sum],
      [0, 0],
      'nobody saw a first byte',
    );
  });

  it('have the time to the first byte of those calls of which the gateway saw it', () => {
    verifies('gateway.metrics.first-byte');
    const { metrics, activity } = calling();
    for (const ms of [20, 30]) {
      const recording = activity.begin('1', { api_key: '' }, { endpoint: '/{server}/mcp', call_type: 'c', model: 'm' });
      clock.pass(ms);
      recording.answered();
      clock.pass(1_000);
      recording.finish({ status: 'success' });
    }
    const [found] = metrics.durations;
    assert.deepEqual(found?.firstByte.counts, [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert.ok(Math.abs(found.firstByte.sum - 0.05) < 1e-9);
  });

  it('stay few, however many servers and errors there are: the rest are called other', () => {
    verifies('gateway.metrics.bounded');
    const { metrics, call } = calling();
    for (let n = 0; n < 1_000; n += 1) call(`server${n}`, 1, `error${n}`);
    const servers = new Set([...metrics.calls].map((it) => it.server));
    const codes = new Set([...metrics.errors].map((it) => it.code));
    assert.deepEqual([servers.size, servers.has('other'), codes.size, codes.has('other')], [101, true, 51, true]);
    assert.equal(
      [...metrics.calls].reduce((sum, it) => sum + it.count, 0),
      1_000,
    );
  });

  it('have series of their own for tools and models that worked once, and call guesses other', () => {
    verifies('gateway.metrics.bounded');
    const { metrics, ask } = calling();
    ask({ mcp_namespaced_tool_name: 'files/read' }, 'failure');
    ask({ mcp_namespaced_tool_name: 'files/read' });
    ask({ mcp_namespaced_tool_name: 'files/read' }, 'failure');
    for (let n = 0; n < 1_000; n += 1) {
      ask({ mcp_namespaced_tool_name: `files/guess${n}` }, 'failure');
      ask({ model_group: `guess${n}`, endpoint: '/v1/messages' }, 'failure');
    }
    ask({ model_group: 'small', endpoint: '/v1/messages' });
    assert.deepEqual(
      [...metrics.tools],
      [
        { name: 'other', success: 0, failure: 1_001 },
        { name: 'files/read', success: 1, failure: 1 },
      ],
    );
    assert.deepEqual(
      [...metrics.models].map(({ name, success, failure }) => ({ name, success, failure })),
      [
        { name: 'other', success: 0, failure: 1_000 },
        { name: 'small', success: 1, failure: 0 },
      ],
    );
    for (let n = 0; n < 1_000; n += 1) ask({ mcp_namespaced_tool_name: `files/tool${n}` });
    assert.equal([...metrics.tools].length, 501);
  });

  it('add up calls and spend of each key for its team, and those of keys beyond the limit', () => {
    verifies('gateway.metrics.callers', 'gateway.metrics.bounded');
    const { metrics, ask } = calling();
    ask({ api_key: 'a', team_id: 't', spend: 0.5 });
    ask({ api_key: 'a', team_id: 't', spend: 0.25 });
    ask({ api_key: 'a', team_id: 't' }, 'failure');
    for (let n = 0; n < 1_000; n += 1) ask({ api_key: `k${n}`, spend: 1 });
    const [first] = metrics.callers;
    assert.deepEqual(first, { api_key: 'a', team_id: 't', spend: 0.75, success: 2, failure: 1 });
    const callers = [...metrics.callers];
    assert.equal(callers.length, 501);
    assert.deepEqual(callers.at(-1), { api_key: 'other', team_id: 'other', spend: 501, success: 501, failure: 0 });
  });

  it('stay few under 10,000 random names of servers, tools, models, teams, keys and errors', () => {
    verifies('gateway.metrics.bounded');
    const { metrics, call, ask } = calling();
    for (let n = 0; n < 10_000; n += 1) {
      const [name] = randomUUID().split('-');
      const status = n % 2 === 0 ? 'success' : 'failure';
      ask({ mcp_namespaced_tool_name: `${name}/${name}`, api_key: `k-${name}`, team_id: `t-${name}` }, status);
      ask({ endpoint: '/v1/chat/completions', model_group: `m-${name}` }, status);
      call(`${name}`, 1, `e-${name}`);
    }
    const others = 1;
    const bounds: readonly (readonly [string, Iterable<unknown>, number])[] = [
      ['calls', metrics.calls, 2 * (MOST.servers + others) + 1],
      // Failures with a code and without one.
      ['errors', metrics.errors, 2 * (MOST.servers + others) + MOST.codes],
      ['durations', metrics.durations, MOST.servers + others + 1],
      ['tools', metrics.tools, MOST.tools + others],
      ['models', metrics.models, MOST.models + others],
      ['callers', metrics.callers, MOST.callers + others],
    ];
    for (const [what, all, most] of bounds) {
      const { length } = [...all];
      assert.ok(length > 100 && length <= most, `${what}: ${length}`);
    }
    const sum = (all: Iterable<{ readonly count: number }>) => [...all].reduce((so, it) => so + it.count, 0);
    assert.deepEqual([sum(metrics.calls), sum(metrics.errors)], [30_000, 20_000]);
  });
});
