import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openConfigFacts } from '../../../../../sidecar/gateway/editions/configFacts.ts';
import type { Gateway } from '../../../../../sidecar/gateway/options.ts';
import type { ConfigFacts } from '../../../../../sidecar/launch/gateway/gatewayContract.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { keepingLog } from '../../../../support/testLog.ts';
import { until } from '../../../../support/until.ts';

const HEALTH = '/v1/mcp/server/health';
const TOOLS = '/mcp-rest/tools/list';
const healthy = [{ server_id: 'id-a', status: 'healthy' }];
const tool = (name: string) => ({ name, mcp_info: { server_id: 'id-a' } });

describe('what is known of servers while their configuration is written', () => {
  let server: Server;
  let clock: StandingClock;
  let lines: string[];
  let asked: string[];
  let answers: Record<string, unknown>;
  let facts: () => Promise<ConfigFacts>;
  beforeEach(async () => {
    [asked, answers] = [[], { [HEALTH]: healthy, [TOOLS]: { tools: [tool('one'), tool('two')] } }];
    server = createServer((request, response) => {
      asked.push(`${request.url} ${String(request.headers['x-gateway-api-key'])}`);
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 500 : 200).end(JSON.stringify(answer ?? { error: 'away' }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    clock = new StandingClock('2026-01-01T00:00:00Z');
    const kept = keepingLog();
    ({ lines } = kept);
    const table = (...records: object[]) => ({ all: async () => records });
    const gateway = {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      store: {
        mcp_server: table({ server_id: 'id-a', alias: 'a', mcp_access_groups: ['g'] }, { server_id: 'id-b' }),
        agent: table({ agent_id: 'id-r', agent_name: 'r' }),
        toolset: table({ toolset_name: 'set' }),
        team: table({ team_id: 't' }),
        organization: table({ organization_id: 'o' }),
        budget: table({ budget_id: 'b' }),
        model: table({ model_name: 'm' }),
      },
    } as unknown as Gateway;
    facts = openConfigFacts({ gateway, key: () => 'admin', clock, timers: systemTimers, log: kept.log });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const first = async () => (await facts()).servers[0];
  /** Asks until the servers' answers to the requests so far are there. */
  const answered = (tools: readonly string[] | undefined, health: string | undefined) =>
    until('the answers are there', async () => {
      const { tools: known, health: how } = (await first()) ?? {};
      return JSON.stringify([known, how]) === JSON.stringify([tools, health]);
    });

  it('are their names at once, and their tools and health once they answered', async () => {
    assert.deepEqual(await facts(), {
      servers: [
        { id: 'id-a', name: 'a', groups: ['g'] },
        { id: 'id-b', name: 'id-b', groups: [] },
      ],
      agents: [{ id: 'id-r', name: 'r', groups: [] }],
      toolsets: ['set'],
      teams: ['t'],
      organizations: ['o'],
      budgets: ['b'],
      models: ['m'],
    });
    await answered(['one', 'two'], 'healthy');
    assert.deepEqual(asked.toSorted(), [`${TOOLS} Bearer admin`, `${HEALTH} Bearer admin`]);
  });
  it('is asked for again after a minute and no sooner', async () => {
    await answered(['one', 'two'], 'healthy');
    answers[HEALTH] = [{ server_id: 'id-a', status: 'unhealthy', health_check_error: 'It is away.' }];
    clock.pass(60_000);
    await facts();
    assert.equal(asked.length, 2);
    clock.pass(1);
    await answered(['one', 'two'], 'unhealthy');
    assert.equal((await first())?.trouble, 'It is away.');
    assert.equal(asked.length, 4);
  });
  for (const [what, path, tools, health] of [
    ['tools', TOOLS, ['three'], 'unhealthy'],
    ['health', HEALTH, ['three'], 'unhealthy'],
  ] as const)
    it(`stays as it was where the ${what} cannot be read, and is asked for again soon`, async () => {
      await answered(['one', 'two'], 'healthy');
      answers[TOOLS] = { tools: [tool('three')] };
      answers[HEALTH] = [{ server_id: 'id-a', status: 'unhealthy' }];
      const answer = answers[path];
      delete answers[path];
      clock.pass(60_001);
      if (path === TOOLS) await answered(['one', 'two'], 'unhealthy');
      else await answered(['three'], 'healthy');
      assert.equal(lines.filter((it) => it.includes('could not be read')).length, 1);
      answers[path] = answer;
      clock.pass(5_000);
      await facts();
      assert.equal(asked.length, 4);
      clock.pass(1);
      await answered(tools, health);
      assert.equal(asked.length, 6);
    });
});
