import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { McpServer } from '../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type TestGateway, testGateway } from '../../../support/mcp/gateway.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { programs } from '../../../support/mcp/program.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';
import { freePort } from '../../../support/network/freePort.ts';
import { until } from '../../../support/until.ts';

const priced = { mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.5 } } };

describe('a tool call through the gateway, whatever becomes of it', () => {
  let web: HttpFixture;
  let gateway: TestGateway | undefined;
  let stand: Stand | undefined;

  beforeEach(async () => {
    web = await httpFixture({ name: 'web' });
  });
  afterEach(async () => {
    await gateway?.close();
    await stand?.close();
    await web.close();
    [gateway, stand] = [undefined, undefined];
  });

  /** With prices: what was reserved, and below 0 what was settled. */
  async function start(registration: Partial<McpServer>, more: Parameters<typeof testGateway>[0]['more'] = {}) {
    const costs: number[] = [];
    gateway = await testGateway({
      servers: [{ server_id: 'id-web', alias: 'web', transport: 'http', url: web.url, ...priced, ...registration }],
      more: {
        admit: (_context, { cost }) => {
          costs.push(cost);
          return Promise.resolve({ settle: (spend: number) => void costs.push(-spend) });
        },
        ...more,
      },
    });
    return { costs, client: new RawClient(`${gateway.base}/mcp`) };
  }

  it('reaches its program once, also where that dies in it', async () => {
    const written = programs();
    const heard = join(mkdtempSync(join(tmpdir(), 'switchboard-heard-')), 'calls');
    const note = `require('node:fs').appendFileSync(${JSON.stringify(heard)}, 'x');`;
    try {
      const { command, args } = written.write(
        `let calls = 0; onCall = (message) => { ${note} if (++calls > 1) process.exit(0); reply(message, { content: [] }); };`,
      );
      const { client } = await start({ transport: 'stdio', url: undefined, command, args: [...args] });
      assert.deepEqual((await client.call('web__any')).json.result, { content: [] });
      const { json } = await client.call('web__any');
      assert.match(json.result?.content?.[0]?.text ?? '', /exited before it responded. The call may have run\.$/);
      assert.equal(existsSync(heard) && readFileSync(heard, 'utf8'), 'xx');
    } finally {
      written.remove();
      rmSync(join(heard, '..'), { recursive: true, force: true });
    }
  });

  it('gives back its place and its budget when the server is away', async () => {
    stand = await openStand({ tools: twoTools });
    await stand.addServer({ alias: 'gone', url: `http://127.0.0.1:${await freePort()}/mcp`, ...priced });
    const limits = { max_parallel_requests: 1, max_budget: 0.5 };
    const key = { authorization: `Bearer ${await stand.addKey(limits)}` };
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push((await stand.ask('/gone/mcp', key, toolCall('echo'))).json);
    assert.match(JSON.stringify(answers[0]), /cannot be reached|is not there|was not run/);
    assert.deepEqual(answers, [answers[0], answers[0], answers[0]]);
  });

  it('costs its price where the server hangs up before it answers, to be asked again', async () => {
    const { client, costs } = await start({});
    const session = await client.at(`${gateway?.base}/web/mcp`).initialized();
    await session.call('test_reconnection');
    await until('it is settled', () => costs.length > 1);
    assert.deepEqual(costs, [0.5, -0.5]);
  });

  it('is judged beside it by the arguments that leave, and not by those that came', async () => {
    const judged: unknown[] = [];
    const { client } = await start(
      {},
      {
        preMcpCall: () => Promise.resolve({ arguments: { text: 'masked' } }),
        duringMcpCall: (call) => {
          judged.push(call.arguments);
          return Promise.resolve(undefined);
        },
      },
    );
    const { json } = await client.call('web__echo', { text: 'secret' });
    assert.equal(json.result?.content?.[0]?.text, 'masked');
    assert.deepEqual(judged, [{ text: 'masked' }]);
  });
});
