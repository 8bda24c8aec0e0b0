import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { metaKeys } from '../../../../sidecar/protocol/gateway/mcpWire.ts';
import { type TestGateway, type TestGatewayOptions, testGateway } from '../../../support/mcp/gateway.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';

describe('several messages in one POST', () => {
  let web: HttpFixture;
  let gateway: TestGateway;
  let client: RawClient;

  async function start(more: Partial<TestGatewayOptions> = {}): Promise<void> {
    const server = { server_id: 'id-web', alias: 'web', transport: 'http' as const, url: web.url };
    gateway = await testGateway({ servers: [server], ...more });
    client = new RawClient(`${gateway.base}/mcp`);
  }
  beforeEach(async () => {
    web = await httpFixture({ name: 'web', json: true });
    await start();
  });
  afterEach(async () => {
    await gateway.close();
    await web.close();
  });

  it('are answered in their order', async () => {
    const body = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'web__echo', arguments: { text: 'x' } } },
    ];
    const answers = (await client.post(body)).json as unknown as { id: number }[];
    assert.deepEqual(
      answers.map((it) => it.id),
      [1, 2],
    );
  });

  it('are refused each for itself', async () => {
    let admitted = 0;
    await gateway.close();
    await start({
      more: {
        admit() {
          admitted += 1;
          if (admitted === 2) throw new Fault('rate_limited', 'Too many requests.');
          return Promise.resolve({ settle: () => undefined });
        },
      },
    });
    const echo = (id: number, name = 'web__echo') => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { text: `said ${id}` } },
    });
    const modern = { ...echo(6), params: { name: 'web__echo', _meta: { [metaKeys.protocolVersion]: '2026-07-28' } } };
    const body = [
      echo(1),
      echo(2),
      5,
      { jsonrpc: '2.0', id: 3, method: 'initialize', params: {} },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      echo(4, 'web__nobody'),
      modern,
      echo(7),
    ];
    const { status, json } = await client.post(body);
    const answers = json as unknown as { id: number | null; error?: { code: number }; result?: object }[];
    assert.equal(status, 200);
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [
        [1, undefined],
        [2, -32603],
        [null, -32600],
        [3, -32600],
        [4, undefined],
        [6, -32602],
        [7, undefined],
      ],
    );
    assert.match(JSON.stringify(answers[6]), /said 7/);
    assert.deepEqual(
      gateway.records.map((it) => it.status),
      ['success', 'failure', 'failure', 'failure', 'success'],
    );
  });

  it('are 32 at most: 400', async () => {
    const body = Array.from({ length: 33 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    assert.equal((await client.post(body)).status, 400);
  });
});
