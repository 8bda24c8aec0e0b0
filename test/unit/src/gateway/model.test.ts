import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { GatewayModel } from '../../../../src/gateway/model.ts';
import type { GatewayRoutes } from '../../../../src/gateway/routes.ts';
import { keyAnswer, serverAnswer, totals } from '../../../support/gateway/editorPicture.ts';

const titles: Readonly<Record<string, string>> = { 'host-session:/1': 'Fix the login' };

function modelUnderTest(more: Partial<GatewayRoutes> = {}) {
  const counts = { changed: 0, tools: 0 };
  const whole: boolean[] = [];
  const days: string[] = [];
  const routes = {
    servers: async () => [serverAnswer({ status: undefined })],
    serverHealth: async () => [{ server_id: 's1', status: 'unhealthy', health_check_error: 'refused' }],
    agents: async () => [],
    keys: async () => [],
    teams: async () => [],
    activity: async (day: string) => {
      days.push(day);
      const endpoint = (calls: number) => ({
        ...totals(calls),
        successful_requests: calls,
        success_rate: 100,
        total_tokens: 0,
      });
      return [
        { endpoint: '/mcp', daily: [], ...endpoint(1) },
        { endpoint: '/a2a/{agent_id}', daily: [], ...endpoint(1) },
      ];
    },
    tools: async () => {
      counts.tools += 1;
      return { tools: [{ name: 'echo' }] };
    },
    ...more,
  } as GatewayRoutes;
  const model = new GatewayModel({
    routes: () => routes,
    keptKeys: async () => new Set(),
    titleOf: (session) => titles[session] ?? 'New session',
    day: () => '2026-11-21',
    changed(isWhole) {
      counts.changed += 1;
      whole.push(isWhole);
    },
    warn: () => {},
  });
  return { model, counts, days, whole };
}

describe('what a window knows of the gateway', () => {
  it('is fetched with the first look, of the current day, and told once where nothing differs', async () => {
    const { model, counts, days } = modelUnderTest({ servers: async () => [] });
    await Promise.all([model.loaded(), model.loaded()]);
    assert.equal(model.picture?.today.total_requests, 2);
    await model.look();
    assert.deepEqual([counts.changed, days], [1, ['2026-11-21', '2026-11-21']]);
  });

  it('is told as a whole at first and after a refresh, and otherwise as what differs', async () => {
    const { model, whole } = modelUnderTest();
    await model.look();
    await new Promise(setImmediate);
    await model.refresh();
    assert.deepEqual(whole, [true, false, true]);
  });

  it('learns of the health of servers after the list, which does not wait for it', async () => {
    let answer: (health: Awaited<ReturnType<GatewayRoutes['serverHealth']>>) => void = () => {};
    const { model } = modelUnderTest({ serverHealth: () => new Promise((resolve) => void (answer = resolve)) });
    await model.look();
    assert.equal(model.picture?.servers[0]?.status, undefined);
    answer([{ server_id: 's1', status: 'unhealthy', health_check_error: 'refused' }]);
    await new Promise(setImmediate);
    assert.deepEqual(
      model.picture?.servers.map((it) => [it.status, it.health_check_error]),
      [['unhealthy', 'refused']],
    );
  });

  it('shows no keys that Switchboard made for itself', async () => {
    const keys = [
      keyAnswer(),
      keyAnswer({ key_alias: 'administrator-0a1b2c3d', role: 'proxy_admin' }),
      keyAnswer({ key_alias: 'session host-session:/1', metadata: { session: 'host-session:/1' } }),
      keyAnswer({ key_alias: 'session of mine' }),
    ];
    const { model } = modelUnderTest({ keys: async () => keys });
    await model.look();
    assert.deepEqual(
      model.picture?.keys.map((it) => it.key_alias),
      ['ci', 'session of mine'],
    );
  });

  it('names a key of an agent of a session by the title of the session', async () => {
    const keyOf = (session: string) =>
      keyAnswer({
        key_alias: `session ${session}, models of host-chat:/1`,
        metadata: { session, chat: 'host-chat:/1' },
      });
    const others = [
      keyAnswer(),
      keyAnswer({ key_alias: null }),
      keyAnswer({ metadata: { session: 'host-session:/1' } }),
    ];
    const { model } = modelUnderTest({
      keys: async () => [keyOf('host-session:/1'), keyOf('host-session:/2'), ...others],
    });
    await model.look();
    assert.deepEqual(
      model.picture?.keys.map((it) => [it.label, it.isOfSession]),
      [
        ['Fix the login', true],
        ['New session', true],
        ['ci', false],
        ['sk-...wxyz', false],
        ['ci', false],
      ],
    );
  });

  it('says why a look failed, and keeps what it knew', async () => {
    let fails = false;
    const { model } = modelUnderTest({
      teams: async () => {
        if (fails) throw new Error('The gateway does not answer.');
        return [];
      },
    });
    await model.look();
    fails = true;
    await model.look();
    assert.deepEqual([model.problem, model.picture?.servers.length], ['The gateway does not answer.', 1]);
    fails = false;
    await model.look();
    assert.equal(model.problem, undefined);
  });

  it('asks for the tools of a server once until it is refreshed', async () => {
    const { model, counts } = modelUnderTest();
    assert.deepEqual(await model.tools('s1'), { tools: [{ name: 'echo' }] });
    await model.tools('s1');
    assert.equal(counts.tools, 1);
    await model.refresh();
    await model.tools('s1');
    assert.equal(counts.tools, 2);
  });

  it('asks for tools again that could not be asked for', async () => {
    let asked = 0;
    const { model } = modelUnderTest({
      async tools() {
        asked += 1;
        if (asked === 1) throw new Error('The gateway does not answer.');
        return { tools: [] };
      },
    });
    assert.deepEqual(await model.tools('s1'), { problem: 'The gateway does not answer.' });
    assert.deepEqual(await model.tools('s1'), { tools: [] });
  });

  it('says what a server said instead of its tools', async () => {
    const { model } = modelUnderTest({
      tools: async () => ({ tools: [], error: 'server_error', message: 'It hangs.' }),
    });
    assert.deepEqual(await model.tools('s1'), { problem: 'It hangs.' });
  });
});
