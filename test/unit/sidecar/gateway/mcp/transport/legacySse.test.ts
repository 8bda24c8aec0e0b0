import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import {
  liveStream,
  type McpFrontSetup,
  mcpFrontUnderTest,
  messageOf,
  readStream,
  request,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { linkedPeers } from '../../../../../support/mcp/linkedPeers.ts';
import { events } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

describe('a client of the transport of 2024-11-05', () => {
  async function open(setup: McpFrontSetup = {}, path = '/sse') {
    const gateway = mcpFrontUnderTest(setup);
    const leaving = new AbortController();
    const stream = readStream(await gateway.fetch('GET', path, undefined, { signal: leaving.signal }));
    assert.equal(await stream.next(), ': open\n\n');
    const address = /^event: endpoint\ndata: (\S+)\n\n$/.exec((await stream.next()) ?? '')?.[1] ?? '';
    const post = async (message: object | string, key = 'key-1') =>
      (await gateway.post(address, message, { key })).status;
    return { gateway, stream, address, post, leaving };
  }
  async function initialized(setup: McpFrontSetup = {}) {
    const opened = await open(setup);
    assert.equal(await opened.post(request('initialize', hello, 0)), 202);
    assert.equal((await opened.stream.message())?.id, 0);
    return opened;
  }

  it('is asked to retry if its message reaches a replica without its stream', async () => {
    const peers = linkedPeers();
    const { address, post } = await open({ more: { peers: peers.open('one') } });
    const other = mcpFrontUnderTest({ more: { peers: peers.open('two') } });
    const refused = await other.post(address, request('ping'));
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    assert.equal(await post(request('initialize', hello, 0)), 202);
  });

  for (const [title, leave] of [
    ['cancels its stream', ({ stream }) => stream.leave()],
    ['is cut off', async ({ leaving }) => leaving.abort()],
  ] as readonly [string, (client: Awaited<ReturnType<typeof open>>) => Promise<void>][])
    it(`that ${title} leaves no session, no session of a server and no call behind, and can post no more`, async () => {
      const client = await initialized({
        answer: ({ method }) => (method === 'tools/call' ? events([], { hangs: true }) : undefined),
      });
      const { gateway, post } = client;
      assert.equal(await post(request('tools/call', { name: 'web__x' }, 5)), 202);
      await until('the call is under way', () => gateway.methods().includes('tools/call'));
      assert.equal(gateway.front.sessionCount, 1);
      await leave(client);
      assert.equal(gateway.front.sessionCount, 0);
      assert.equal(await post(request('ping')), 404);
      await until('the session of the server is ended', () => gateway.methods().includes('DELETE'));
      await until('the call is on record', () => gateway.records.every((it) => it.status !== undefined));
      assert.deepEqual(
        gateway.seen.filter((it) => it.method === 'notifications/cancelled').map((it) => it.params?.['requestId']),
        [5],
      );
      await client.stream.message().catch(() => undefined);
      assert.equal(gateway.timers.count(15_000), 0, 'nothing keeps the stream alive');
    });

  it('that leaves takes its calls along also where it never shook hands', async () => {
    const { gateway, post, stream } = await open({
      answer: ({ method }) => (method === 'tools/call' ? events([], { hangs: true }) : undefined),
    });
    await post(request('tools/call', { name: 'web__x' }, 5));
    await until('the call is under way', () => gateway.methods().includes('tools/call'));
    await stream.leave();
    await until('the call is on record', () => gateway.records[0]?.status);
    assert.equal(gateway.records[0]?.error_code, 'cancelled');
    await until('its server is let go', () => gateway.open() === 0);
  });

  it('takes posts of its own caller alone', async () => {
    const { gateway, post, address } = await initialized();
    const records = gateway.records.length;
    assert.equal(await post(request('tools/list'), 'key-2'), 404);
    assert.equal((await gateway.post(address, request('ping'), { endUserId: 'eve' })).status, 404);
    assert.equal((await gateway.post('/sse', request('ping'))).status, 404);
    assert.equal((await gateway.post('/sse?session_id=nobody', request('ping'))).status, 404);
    assert.equal(gateway.records.length, records);
  });

  it('has a stream for one server at its address, with the server’s own names', async () => {
    verifies('gateway.route.server-sse');
    const { gateway, post, stream, address } = await open({}, '/web/sse');
    assert.match(address, /^\/web\/sse\?session_id=/);
    assert.equal(await post(request('initialize', hello, 0)), 202);
    assert.equal((await stream.message())?.id, 0);
    await post(request('tools/call', { name: 'x' }, 1));
    assert.equal((await stream.message())?.id, 1);
    assert.deepEqual(
      gateway.seen.filter((it) => it.method === 'tools/call').map((it) => it.params?.['name']),
      ['x'],
    );
  });

  it('takes posts only at the address of the stream', async () => {
    const { gateway, address } = await open({}, '/web/sse');
    const id = address.split('?')[1] ?? '';
    assert.equal((await gateway.post(`/sse?${id}`, request('ping'))).status, 404);
    const all = await open();
    const others = all.address.split('?')[1] ?? '';
    assert.equal((await all.gateway.post(`/web/sse?${others}`, request('ping'))).status, 404);
    assert.equal((await all.gateway.post(`/sse?${others}`, request('initialize', hello, 0))).status, 202);
  });

  it('gets no stream for a server that does not exist', async () => {
    const gateway = mcpFrontUnderTest();
    assert.equal((await gateway.fetch('GET', '/nobody/sse', undefined)).status, 404);
  });

  it('has one session, the one that it opened last', async () => {
    const { gateway, post, stream } = await initialized();
    await post(request('tools/list', {}, 1));
    await stream.message();
    await post(request('initialize', hello, 2));
    assert.equal((await stream.message())?.id, 2);
    assert.equal(gateway.front.sessionCount, 1);
    await until('the session of the server is ended', () => gateway.methods().includes('DELETE'));
    await post(request('tools/list', {}, 3));
    assert.equal((await stream.message())?.id, 3);
    assert.equal(gateway.methods().filter((it) => it === 'initialize').length, 2);
  });

  it('is served without a session where it never shook hands', async () => {
    const { gateway, post, stream } = await open();
    assert.equal(await post(request('tools/list', {}, 'a')), 202);
    assert.equal((await stream.message())?.id, 'a');
    assert.equal(await post({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202);
    assert.equal(gateway.front.sessionCount, 0);
  });

  const refusals: readonly [string, Error, string, string, boolean][] = [
    ['a fault', new Fault('rate_limited', 'Too many requests.'), 'Too many requests.', 'rate_limited', false],
    ['a failure of our own', new TypeError('x of undefined'), 'Internal error', 'internal', true],
  ];
  for (const [what, thrown, message, reason, isLogged] of refusals)
    it(`gets ${what} as the answer on its stream, by the id of its request`, async () => {
      const { gateway, post, stream } = await initialized({
        more: { preMcpList: () => Promise.reject(thrown), preMcpCall: () => Promise.reject(thrown) },
      });
      assert.equal(await post(request('tools/call', { name: 'web__x' }, 'mine')), 202);
      const answer = await stream.message();
      assert.deepEqual([answer?.id, answer?.error], ['mine', { code: -32603, message, data: { reason } }]);
      assert.equal(
        gateway.logLines.some((it) => it.includes('A request over SSE failed.')),
        isLogged,
      );
      assert.deepEqual(gateway.records.at(-1)?.error_code, reason);
    });

  it('gets an error for a handshake without a version, and no session', async () => {
    const { gateway, post, stream } = await open();
    await post(request('initialize', {}, 1));
    assert.deepEqual((await stream.message())?.error?.data, { reason: 'invalid_params' });
    assert.equal(gateway.front.sessionCount, 0);
  });

  const bad: readonly [string, string, number, number, number][] = [
    ['no JSON', '{', 400, -32700, 1],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600, 0],
    ['no message', '{"id":1,"method":"ping"}', 400, -32600, 1],
    ['too much', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(1_000)}"}`, 413, -32600, 1],
  ];
  for (const [what, body, status, code, records] of bad)
    it(`that posts ${what} is answered at once, and it leaves ${records} record`, async () => {
      const { gateway, address } = await open({ options: { maxBodyBytes: 900 } });
      const response = await gateway.post(address, body);
      assert.deepEqual([response.status, (await messageOf(response)).error?.code], [status, code]);
      assert.deepEqual(
        gateway.records.map((it) => [it.status, it.error_code]),
        Array.from({ length: records }, () => ['failure', `${code}`]),
      );
    });

  it('asks with no other method', async () => {
    const { gateway, address } = await open();
    assert.equal((await gateway.fetch('DELETE', address, undefined)).status, 405);
  });

  it('has its messages brought to the servers of its session, and those of nobody on record', async () => {
    const { gateway, post, stream } = await initialized();
    await post(request('tools/call', { name: 'web__x' }, 1));
    await stream.message();
    const before = gateway.seen.length;
    await post({ jsonrpc: '2.0', id: 'id-web:7', result: { roots: [] } });
    await post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    await post({ jsonrpc: '2.0', method: 'notifications/of/nobody' });
    assert.deepEqual(
      gateway.seen.slice(before).map((it) => it.id ?? it.method),
      [7, 'notifications/roots/list_changed'],
    );
    assert.deepEqual(
      gateway.records.filter((it) => it.status === 'failure').map((it) => [it.call_type, it.error]),
      [['mcp:notifications/of/nobody', 'Method not found']],
    );
  });

  it('cancels its own call', async () => {
    const { gateway, post, stream } = await initialized({
      answer: ({ method }) => (method === 'tools/call' ? events([], { hangs: true }) : undefined),
    });
    await post(request('tools/call', { name: 'web__x' }, 5));
    await until('the call is under way', () => gateway.methods().includes('tools/call'));
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    assert.equal((await stream.message())?.id, 5);
    assert.equal(gateway.records.at(-1)?.error_code, 'cancelled');
    assert.equal(gateway.front.sessionCount, 1);
  });

  it('gets what servers send by themselves as messages, without what has no text', async () => {
    const live = liveStream();
    const { gateway, post, stream } = await initialized({
      answer: ({ http }) => (http === 'GET' ? live.stream : undefined),
    });
    await post(request('tools/call', { name: 'web__x' }, 1));
    await stream.message();
    await until('the server has a stream', () => gateway.methods().includes('GET'));
    live.write({ method: 'notifications/message', params: { level: 'info', data: 'first' } });
    assert.match((await stream.next()) ?? '', /^event: message\ndata: .*first/);
    gateway.front.endStreams();
    assert.equal(await stream.message(), undefined);
  });
});
