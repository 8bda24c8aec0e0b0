import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { McpServerRecord } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { echoTool } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer, rpcBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { readSamples } from '../../../support/telemetry/metricLines.ts';
import { verifies } from '../../../support/verifies.ts';

const tools = [
  echoTool,
  { ...echoTool, name: 'again', annotations: { idempotentHint: true } },
  { ...echoTool, name: 'look', annotations: { readOnlyHint: true } },
];
const breakOff = (response: ServerResponse) => response.socket?.destroy();
const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end();
const emptyStream = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  response.socket?.destroy();
};

/** How a server fails once, what it is asked, and how often it then gets the request. */
const repeated: readonly (readonly [
  says: string,
  body: object,
  fail: (response: ServerResponse) => void,
  times: number,
])[] = [
  ['a list', rpcBody('tools/list'), status(503), 2],
  ['a list that was limited', rpcBody('tools/list'), status(429), 2],
  ['a list whose connection broke', rpcBody('tools/list'), breakOff, 2],
  ['a list whose stream broke before its first event', rpcBody('tools/list'), emptyStream, 2],
  ['a read', rpcBody('resources/read', { uri: 'x://y' }), status(500), 2],
  ['a call of an idempotent tool', toolCall('again'), status(503), 2],
  ['a call of a tool that only reads', toolCall('look'), breakOff, 2],
  ['a call of any other tool', toolCall('echo'), status(503), 1],
  ['a call of any other tool whose connection broke', toolCall('echo'), breakOff, 1],
  ['a list that was refused', rpcBody('tools/list'), status(403), 1],
];

describe('a server that fails', () => {
  let stand: Stand;
  let key: string;
  const clock = new StandingClock('2026-03-01T00:00:00Z');
  /** Failures that the next requests of a client meet; handshakes succeed. */
  const failures: ((response: ServerResponse) => void)[] = [];
  let speak: (heard: Heard, response: ServerResponse) => void;

  before(async () => {
    stand = await openStand({ clock, tools });
    speak = stand.backend.answer;
    stand.backend.answer = (heard, response) => {
      const { method, id } = JSON.parse(heard.body.toString() || '{}') as { method?: string; id?: unknown };
      const isHandshake = method === 'initialize' || method?.startsWith('notifications/');
      const fail = isHandshake ? undefined : failures.shift();
      if (fail) return fail(response);
      if (method !== 'resources/read') return speak(heard, response);
      const result = { contents: [] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    key = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => {
    failures.length = 0;
  });

  const retry: McpServerRecord['retry'] = { attempts: 3, backoff_ms: 1, max_backoff_ms: 1 };
  const isError = ({ json }: Answer) => {
    const { error, result } = json as { error?: object; result?: { isError?: boolean } };
    return error !== undefined || result?.isError === true;
  };
  const heardOf = (alias: string) => stand.calls().filter((it) => it.path === `/mcp/${alias}`).length;
  const ask = (alias: string, body: object) => stand.ask(`/${alias}/mcp`, bearer(key), body);

  for (const [at, [says, body, fail, times]] of repeated.entries())
    it(`gets ${says} ${times === 1 ? 'only once' : 'again'}`, async () => {
      verifies('gateway.resilience.retry');
      const alias = `retried${at}`;
      await stand.register({ alias, retry });
      await ask(alias, rpcBody('tools/list'));
      const before = heardOf(alias);
      failures.push(fail);
      const answer = await ask(alias, body);
      assert.equal(heardOf(alias) - before, times, answer.text);
      assert.equal(isError(answer), times === 1, answer.text);
    });

  it('gets a list of several servers again', async () => {
    verifies('gateway.resilience.retry');
    await stand.register({ alias: 'one', retry });
    failures.push(status(503));
    const answer = await stand.ask('/mcp', { ...bearer(key), 'x-mcp-servers': 'one' }, rpcBody('tools/list'));
    assert.match(answer.text, /one__echo/);
  });

  it('gets no request twice unless that is set', async () => {
    verifies('gateway.resilience.off');
    await stand.register({ alias: 'plain' });
    failures.push(status(503));
    assert.ok(isError(await ask('plain', rpcBody('tools/list'))));
    assert.equal(heardOf('plain'), 1);
    const all = (await stand.manage('GET', '/v1/mcp/server')) as unknown as { alias: string; circuit?: object }[];
    assert.deepEqual(
      Object.keys(all.find((it) => it.alias === 'plain') ?? {}).filter((it) => it === 'circuit'),
      [],
    );
  });

  it('gets no more retries than its budget has', async () => {
    verifies('gateway.resilience.retry');
    await stand.register({ alias: 'poor', retry: { ...retry, attempts: 2, budget_percent: 1 } });
    failures.push(...Array.from({ length: 40 }, () => status(503)));
    for (let n = 0; n < 14; n += 1) await ask('poor', rpcBody('tools/list'));
    assert.equal(heardOf('poor'), 14 + 10);
  });

  it('gets no requests after so many failures, until one of them succeeds', async () => {
    verifies('gateway.resilience.circuit');
    const id = await stand.register({ alias: 'weak', circuit_breaker: { failures: 3, window_s: 30, open_s: 20 } });
    failures.push(status(503), breakOff, status(500));
    for (let n = 0; n < 3; n += 1) assert.ok(isError(await ask('weak', toolCall('echo'))));
    assert.equal(heardOf('weak'), 3);
    clock.pass(5_000);
    assert.match(
      (await ask('weak', toolCall('echo'))).text,
      /Too many requests to the MCP server 'weak' failed, so no more are sent for now\. The gateway tries again in 15 s\. The call was not run\./,
    );
    const { error } = (await ask('weak', rpcBody('tools/list'))).json as { error: { data: object } };
    assert.deepEqual(error.data, { reason: 'circuit_open', retry_after_ms: 15_000 });
    assert.equal(heardOf('weak'), 3);
    const all = (await stand.manage('GET', '/v1/mcp/server')) as unknown as { server_id: string; circuit?: object }[];
    const state = { state: 'open', requests: 3, failures: 3, retry_after_ms: 15_000 };
    assert.deepEqual(all.find((it) => it.server_id === id)?.circuit, state);
    const health = await stand.manage('GET', `/v1/mcp/server/health?server_ids=${id}`);
    assert.deepEqual((health as unknown as { circuit?: object }[])[0]?.circuit, state);
    const samples = readSamples(await (await stand.as(stand.adminKey, '/metrics')).text());
    const sampleOf = (name: string) => samples.find((it) => it.name === name && it.labels['server'] === 'weak')?.value;
    assert.deepEqual([sampleOf('switchboard_circuit_state'), sampleOf('switchboard_circuit_refused_total')], [2, 2]);
    clock.pass(15_000);
    assert.ok(!isError(await ask('weak', toolCall('echo'))));
    const closed = (await stand.manage('GET', `/v1/mcp/server/${id}`)) as { circuit?: { state: string } };
    assert.equal(closed.circuit?.state, 'closed');
  });

  it('does not count what a caller or a credential did wrong', async () => {
    verifies('gateway.resilience.circuit');
    const id = await stand.register({ alias: 'strict', circuit_breaker: { failures: 1 } });
    failures.push(status(403), status(400));
    for (let n = 0; n < 2; n += 1) await ask('strict', toolCall('echo'));
    const { circuit } = (await stand.manage('GET', `/v1/mcp/server/${id}`)) as { circuit?: { state: string } };
    assert.equal(circuit?.state, 'closed');
  });

  it('is asked again at once when its registration is changed', async () => {
    verifies('gateway.resilience.circuit');
    const id = await stand.register({ alias: 'mended', circuit_breaker: { failures: 1 } });
    failures.push(status(503));
    await ask('mended', toolCall('echo'));
    assert.match((await ask('mended', toolCall('echo'))).text, /no more are sent for now/);
    await stand.manage('PUT', '/v1/mcp/server', { server_id: id, description: 'mended' });
    assert.ok(!isError(await ask('mended', toolCall('echo'))));
  });
});
