import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { BackendFailure } from '../../../../../../sidecar/gateway/backends/mcp/failure.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import {
  httpServer,
  liveStream,
  mcpFrontUnderTest,
  messageOf,
  readStream,
  request,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { events, json, type Scripted } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';

const call = (id = 1) => request('tools/call', { name: 'x' }, id);
const answered = events([
  { method: 'notifications/message', params: {} },
  { id: 1, result: { content: [] } },
]);
/** One that ends before its answer lets its caller resume. */
const resumable: Scripted = { ...answered, body: ['id: 1\ndata: \n\n'] };
const idleMs = 30 * 60_000 + 1;

describe('a call of a session', () => {
  const ends: readonly [string, Scripted | Error][] = [
    ['a message', json({ jsonrpc: '2.0', id: 1, result: { content: [] } })],
    ['a stream', answered],
    ['a stream that is to be resumed', resumable],
    ['a stream that breaks off', events(['data: {"jsonrpc":'])],
    ['a status', { status: 503 }],
    ['no answer at all', new Error('reset')],
  ];
  for (const [what, ending] of ends)
    it(`is over with ${what}: nothing of it keeps the session`, async () => {
      const gateway = mcpFrontUnderTest({ answer: ({ method }) => (method === 'tools/call' ? ending : undefined) });
      const session = await gateway.initialize('/web/mcp');
      await (await gateway.post('/web/mcp', call(), { session })).text();
      assert.equal(gateway.records.length, 2);
      assert.ok(gateway.records[1]?.status !== undefined);
      gateway.clock.pass(idleMs);
      await gateway.front.sweep();
      assert.equal(gateway.front.sessionCount, 0);
    });

  it('whose server ends its stream before any event gets an empty stream, and is recorded as failed at no cost', async () => {
    const gateway = mcpFrontUnderTest({
      servers: [httpServer('web', { mcp_info: { mcp_server_cost_info: { default_cost_per_query: 2 } } })],
      answer: ({ method }) => (method === 'tools/call' ? events([]) : undefined),
    });
    const session = await gateway.initialize('/web/mcp');
    const answer = await gateway.post('/web/mcp', call(), { session });
    assert.deepEqual([answer.status, await answer.text()], [200, '']);
    const { status, error_code } = gateway.records[1] ?? {};
    assert.deepEqual([status, error_code], ['failure', 'ended']);
    assert.deepEqual(
      gateway.admitted.map((it) => it.spend),
      [0],
    );
  });

  it('keeps the session for as long as it streams, and ends with it', async () => {
    const live = liveStream();
    const gateway = mcpFrontUnderTest({ answer: ({ method }) => (method === 'tools/call' ? live.stream : undefined) });
    const session = await gateway.initialize('/web/mcp');
    const stream = readStream(await gateway.post('/web/mcp', call(), { session }));
    live.write({ method: 'notifications/message', params: {} });
    assert.equal((await stream.message())?.method, 'notifications/message');
    gateway.clock.pass(idleMs);
    await gateway.front.sweep();
    assert.equal(gateway.front.sessionCount, 1);
    const deleted = await gateway.fetch('DELETE', '/web/mcp', undefined, { session });
    assert.equal(deleted.status, 200);
    assert.equal((await stream.message())?.id, 1);
    assert.equal(gateway.records[1]?.error_code, 'cancelled');
  });

  it('whose caller disconnects continues, its record says how it ended, and its server is not notified', async () => {
    const live = liveStream();
    const gateway = mcpFrontUnderTest({ answer: ({ method }) => (method === 'tools/call' ? live.stream : undefined) });
    const session = await gateway.initialize('/web/mcp');
    const stream = readStream(await gateway.post('/web/mcp', call(7), { session }));
    live.write({ method: 'notifications/message', params: {} });
    await stream.message();
    await stream.leave();
    assert.equal(gateway.records[1]?.status, undefined);
    live.write({ id: 7, result: { content: [] } });
    await until('it is on record', () => gateway.records[1]?.status);
    assert.equal(gateway.records[1]?.status, 'success');
    assert.ok(!gateway.methods().includes('notifications/cancelled'));
    assert.equal(gateway.open(), 0);
    gateway.clock.pass(idleMs);
    await gateway.front.sweep();
    assert.equal(gateway.front.sessionCount, 0);
    assert.equal(gateway.timers.count(300_000), 0);
  });

  it('whose caller disconnects before a byte is read continues, and is settled', async () => {
    const live = liveStream();
    const gateway = mcpFrontUnderTest({ answer: ({ method }) => (method === 'tools/call' ? live.stream : undefined) });
    const session = await gateway.initialize('/web/mcp');
    const stream = readStream(await gateway.post('/web/mcp', call(7), { session }));
    await stream.leave();
    live.write({ id: 7, result: { content: [] } });
    await until('it is on record', () => gateway.records[1]?.status);
    assert.equal(gateway.records[1]?.status, 'success');
    assert.equal(gateway.admitted[0]?.spend, 0);
  });

  it('is on record with the session, unless its caller named one of several surfaces', async () => {
    const gateway = mcpFrontUnderTest();
    const session = await gateway.initialize('/web/mcp');
    await gateway.post('/web/mcp', call(), { session });
    await gateway.post('/web/mcp', call(), { session, sessionId: 'theirs' });
    await gateway.post('/web/mcp', call());
    assert.deepEqual(
      gateway.records.map((it) => it.session_id !== undefined),
      [true, true, false, false],
    );
  });
});

describe('a call without a session', () => {
  const live = () => {
    const stream = liveStream();
    const gateway = mcpFrontUnderTest({
      answer: ({ method }) => (method === 'tools/call' ? stream.stream : undefined),
    });
    return { stream, gateway };
  };

  it('whose caller disconnects is recorded as canceled, and its server is notified', async () => {
    const { stream, gateway } = live();
    const reading = readStream(await gateway.post('/web/mcp', call(7)));
    stream.write({ method: 'notifications/message', params: {} });
    await reading.message();
    await reading.leave();
    await until('it is on record', () => gateway.records[0]?.status);
    assert.deepEqual([gateway.records[0]?.status, gateway.records[0]?.error_code], ['failure', 'caller_left']);
    await until('its server is notified', () => gateway.methods().includes('notifications/cancelled'));
    assert.equal(gateway.open(), 0);
  });

  it('whose caller disconnects before a byte is read is recorded, and its server is released', async () => {
    const { gateway } = live();
    const reading = readStream(await gateway.post('/web/mcp', call(7)));
    await reading.leave();
    await until('it is on record', () => gateway.records[0]?.status);
    assert.equal(gateway.records[0]?.status, 'failure');
    await until('it is settled', () => gateway.admitted[0]?.spend !== undefined);
  });
});

describe('a request that fails', () => {
  const authFault = new Fault('auth_required', 'Sign in.');
  const rows: readonly [string, Error, number, object][] = [
    [
      'a fault',
      new Fault('rate_limited', 'Too many.'),
      429,
      { status: 'failure', error: 'Too many.', error_code: 'rate_limited' },
    ],
    ['a sign-in', authFault, 401, { status: 'failure', error: 'Sign in.', error_code: 'auth_required' }],
    [
      'a sign-in that a server found missing',
      new BackendFailure('not_allowed', 'no', { mayHaveRun: false, cause: authFault }),
      401,
      { status: 'failure', error: 'Sign in.', error_code: 'auth_required' },
    ],
    [
      'a failed server',
      new BackendFailure('timeout', 'It is slow.', { mayHaveRun: true, cause: new Fault('forbidden', 'no') }),
      200,
      { status: 'failure', error: 'It is slow.', error_code: 'timeout' },
    ],
  ];
  for (const [what, thrown, status, expected] of rows)
    it(`by ${what} answers ${status}, and leaves a record of it`, async () => {
      const gateway = mcpFrontUnderTest({ more: { outbound: () => Promise.reject(thrown) } });
      const response = await gateway.post('/web/mcp', call());
      assert.equal(response.status, status);
      const { error, error_code, status: recorded } = gateway.records[0] ?? {};
      assert.deepEqual({ status: recorded, error, error_code }, expected);
    });

  it('after its stream has begun answers on the stream, by the words of what failed', async () => {
    const failures: readonly [Error, object, object][] = [
      [
        new Fault('forbidden', 'Not this one.'),
        { code: -32603, message: 'Not this one.', data: { reason: 'forbidden' } },
        ['Not this one.', 'forbidden'],
      ],
    ];
    for (const [thrown, error, recorded] of failures) {
      const gateway = mcpFrontUnderTest({
        answer: ({ method }) => (method === 'tools/call' ? answered : undefined),
        more: { duringMcpCall: () => Promise.reject(thrown) },
      });
      const session = await gateway.initialize('/web/mcp');
      const stream = readStream(await gateway.post('/web/mcp', call(), { session }));
      assert.equal((await stream.message())?.method, 'notifications/message');
      assert.deepEqual((await stream.message())?.error, error);
      assert.equal(await stream.message(), undefined);
      assert.deepEqual([gateway.records[1]?.error, gateway.records[1]?.error_code], recorded);
    }
  });

  it('by a bug after its stream has begun breaks the stream off, and is on record', async () => {
    const gateway = mcpFrontUnderTest({
      answer: ({ method }) => (method === 'tools/call' ? answered : undefined),
      more: { duringMcpCall: () => Promise.reject(new TypeError('x of undefined')) },
    });
    const session = await gateway.initialize('/web/mcp');
    const stream = readStream(await gateway.post('/web/mcp', call(), { session }));
    await stream.message();
    await assert.rejects(stream.message(), TypeError);
    assert.deepEqual([gateway.records[1]?.error, gateway.records[1]?.error_code], ['internal error', 'internal']);
    assert.equal(gateway.timers.count(15_000), 0);
  });
});

describe('a server that wants its callers to sign in at it', () => {
  const delegates = { delegate_auth_to_upstream: true };
  const refused = (status: number) => ({ status, headers: { 'www-authenticate': 'Bearer scope="a"' } });
  const rows: readonly [string, string, boolean, number, number][] = [
    ['is relayed as 401 on its own address', '/web/mcp', true, 401, 401],
    ['is a failure like others where its registration says nothing of it', '/web/mcp', false, 401, 200],
    ['is a failure like others for another status', '/web/mcp', true, 403, 200],
    ['is a failure like others among several', '/mcp', true, 401, 200],
  ];
  for (const [what, path, isDelegated, theirs, ours] of rows)
    it(what, async () => {
      const gateway = mcpFrontUnderTest({
        servers: [httpServer('web', isDelegated ? delegates : {}), 'other'],
        answer: ({ server, method }) => (server === 'web' && method !== undefined ? refused(theirs) : undefined),
      });
      const name = path === '/mcp' ? 'web__x' : 'x';
      const response = await gateway.post(path, request('tools/call', { name }));
      assert.equal(response.status, ours);
      const challenge = response.headers.get('www-authenticate') ?? '';
      assert.equal(challenge.includes('/documents/web/mcp?of=id-web'), ours === 401);
      assert.equal(gateway.records.length, 1);
      assert.deepEqual(
        [gateway.records[0]?.status, gateway.records[0]?.error_code],
        ['failure', ours === 401 ? 'auth_required' : 'status'],
      );
      if (ours === 200) assert.equal((await messageOf(response)).result?.['isError'], true);
    });
});
