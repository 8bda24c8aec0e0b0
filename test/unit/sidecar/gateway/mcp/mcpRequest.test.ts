import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  httpServer,
  mcpFrontUnderTest,
  messageOf,
  modernHeaders,
  modernRequest,
  request,
  result,
  type SeenMessage,
} from '../../../../support/mcp/frontUnderTest.ts';
import type { Scripted } from '../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../support/until.ts';

const hello = { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'me', version: '7' } };
const call = request('tools/call', { name: 'x' });

describe('a request to a server', () => {
  const lost: Scripted = { status: 404 };
  it('that the server knows no session for is sent once more, in a new one, and not a third time', async () => {
    for (const [losses, sent, isError] of [
      [1, 2, false],
      [2, 2, true],
    ] as const) {
      let left: number = losses;
      const gateway = mcpFrontUnderTest({
        answer: ({ method }) => {
          if (method !== 'tools/call' || left === 0) return undefined;
          left -= 1;
          return lost;
        },
      });
      const session = await gateway.initialize('/web/mcp');
      const { result: answer } = await gateway.rpc('/web/mcp', 'tools/call', { name: 'x' }, { session });
      assert.equal(answer?.['isError'] ?? false, isError);
      const calls = gateway.seen.filter((it) => it.method === 'tools/call');
      assert.equal(calls.length, sent);
      assert.equal(new Set(calls.map((it) => it.session)).size, sent);
      assert.deepEqual(
        gateway.methods().filter((it) => it.startsWith('notifications')),
        ['notifications/initialized'],
        'the client ended the first handshake itself',
      );
    }
  });

  const unsure: readonly [string, Scripted | Error][] = [
    ['was answered with 500', { status: 500 }],
    ['was answered with 429', { status: 429 }],
    ['got no answer', new Error('reset')],
    ['could not reach it', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ];
  for (const [what, answer] of unsure)
    it(`that ${what} is not sent again`, async () => {
      const gateway = mcpFrontUnderTest({ answer: ({ method }) => (method === 'tools/call' ? answer : undefined) });
      const session = await gateway.initialize('/web/mcp');
      await gateway.rpc('/web/mcp', 'tools/call', { name: 'x' }, { session });
      assert.equal(gateway.methods().filter((it) => it === 'tools/call').length, 1);
    });

  it('goes out in the words and the session of its client, or of nobody and in none that a client has', async () => {
    const gateway = mcpFrontUnderTest();
    const initialized = await gateway.post('/web/mcp', request('initialize', hello));
    const session = initialized.headers.get('mcp-session-id') ?? '';
    await gateway.post('/web/mcp', call, { session });
    await gateway.post('/web/mcp', call);
    await gateway.post('/web/mcp', call);
    const introduced = gateway.seen.filter((it) => it.method === 'initialize').map((it) => it.params);
    assert.deepEqual(introduced[0], hello);
    assert.equal(introduced.length, 2);
    assert.deepEqual(introduced[1]?.['capabilities'], {});
    const sessions = gateway.seen.filter((it) => it.method === 'tools/call').map((it) => it.session);
    assert.equal(new Set(sessions).size, 2);
    assert.equal(sessions[1], sessions[2]);
    const ids = gateway.seen.filter((it) => it.method === 'tools/call').map((it) => it.id);
    assert.equal(ids[0], 1);
    assert.equal(new Set(ids).size, 3, 'callers that share a connection have ids of ours');
  });

  it('of two keys goes over two connections', async () => {
    const gateway = mcpFrontUnderTest();
    for (const key of ['key-1', 'key-2', 'key-1']) await gateway.post('/web/mcp', call, { key });
    assert.equal(gateway.methods().filter((it) => it === 'initialize').length, 2);
  });

  it('that joins a server late brings the level that the client set before, once', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a', 'b'] });
    const session = await gateway.initialize('/mcp');
    const ask = (method: string, params: object) => gateway.rpc('/mcp', method, params, { session });
    await ask('tools/call', { name: 'a__x' });
    assert.deepEqual((await ask('logging/setLevel', { level: 'debug' })).result, {});
    for (const name of ['b__x', 'b__x', 'a__x']) await ask('tools/call', { name });
    const levels = gateway.seen.filter((it) => it.method === 'logging/setLevel');
    assert.deepEqual(
      levels.map((it) => [it.server, it.params?.['level']]),
      [
        ['a', 'debug'],
        ['b', 'debug'],
      ],
    );
    assert.equal((await ask('logging/setLevel', {})).error?.code, -32602);
  });

  it('in the modern era brings what its headers say beside, and needs a server that speaks it', async () => {
    const answer = (versions: readonly string[]) => (seen: SeenMessage) =>
      seen.method === 'server/discover' ? result(seen, { supportedVersions: versions }) : undefined;
    const headers = { ...modernHeaders('tools/call', 'x'), 'mcp-param-region': 'eu', 'x-other': 'no' };
    const modern = mcpFrontUnderTest({ answer: answer(['2026-07-28']) });
    assert.equal((await modern.post('/web/mcp', modernRequest('tools/call', { name: 'x' }), { headers })).status, 200);
    const sent = modern.seen.at(-1)?.headers ?? {};
    assert.deepEqual([sent['mcp-param-region'], sent['mcp-name'], sent['x-other']], ['eu', 'x', undefined]);
    const older = mcpFrontUnderTest({ answer: answer(['2025-11-25']) });
    const refused = await older.post('/web/mcp', modernRequest('tools/call', { name: 'x' }), { headers });
    assert.equal(refused.status, 400);
    assert.equal((await messageOf(refused)).error?.code, -32022);
    assert.ok(!older.methods().includes('tools/call'));
  });

  it('is given up after the time of its server, else after that of all', async () => {
    for (const [timeout, ms] of [
      [3, 3_000],
      [undefined, 60_000],
    ] as const) {
      const gateway = mcpFrontUnderTest({
        servers: [httpServer('web', timeout === undefined ? {} : { timeout })],
        answer: ({ method }) => (method === 'tools/call' ? 'silence' : undefined),
      });
      const answer = gateway.rpc('/web/mcp', 'tools/call', { name: 'x' });
      await until('it was sent', () => gateway.methods().includes('tools/call'));
      gateway.timers.pass(ms);
      assert.match(JSON.stringify(await answer), new RegExp(`within ${ms / 1_000} s`));
      assert.equal(gateway.records[0]?.error_code, 'timeout');
    }
  });
});

describe('the MCP front', () => {
  it('lets connections of a changed server go, asks for its era anew, and keeps those of others', async () => {
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      answer: (seen) =>
        seen.method === 'server/discover' ? result(seen, { supportedVersions: ['2026-07-28'] }) : undefined,
    });
    const ask = async () => {
      for (const it of ['a', 'b']) {
        await gateway.rpc(`/${it}/mcp`, 'tools/list');
        const headers = modernHeaders('tools/list');
        await gateway.post(`/${it}/mcp`, modernRequest('tools/list'), { headers });
      }
    };
    await ask();
    const before = gateway.seen.length;
    await gateway.front.serverChanged('id-a');
    await ask();
    const again = gateway.seen.slice(before).filter((it) => it.method !== 'tools/list');
    assert.deepEqual(
      again.map((it) => [it.server, it.method ?? it.http]),
      [
        ['a', 'DELETE'],
        ['a', 'initialize'],
        ['a', 'notifications/initialized'],
        ['a', 'server/discover'],
      ],
    );
  });

  it('sweeps connections that nobody used, and ends their sessions', async () => {
    const gateway = mcpFrontUnderTest();
    await gateway.post('/web/mcp', call);
    gateway.clock.pass(30 * 60_000 + 1);
    await gateway.front.sweep();
    assert.equal(gateway.connections.count, 0);
    assert.equal(gateway.methods().at(-1), 'DELETE');
  });

  it('keeps sessions of servers when it closes', async () => {
    const gateway = mcpFrontUnderTest();
    await gateway.initialize('/web/mcp');
    await gateway.front.close();
    assert.equal(gateway.connections.count, 0);
    assert.ok(!gateway.methods().includes('DELETE'));
  });
});
