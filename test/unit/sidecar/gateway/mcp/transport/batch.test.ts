import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import type { Message } from '../../../../../support/mcp/frontUnderTest.ts';
import { mcpFrontUnderTest, messageOf, request } from '../../../../../support/mcp/frontUnderTest.ts';

const answersOf = async (response: Response) => (await messageOf(response)) as unknown as readonly Message[];
const note = { jsonrpc: '2.0', method: 'notifications/initialized' };

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('messages of one POST', () => {
  it('have a record each, with an id of its own that begins with that of the whole', async () => {
    const gateway = mcpFrontUnderTest();
    const body = [request('tools/list', {}, 'a'), note, 5, request('tools/list', {}, 'b')];
    const answers = await answersOf(await gateway.post('/web/mcp', body, { requestId: 'call' }));
    assert.deepEqual(
      answers.map((it) => it.id),
      ['a', null, 'b'],
    );
    assert.deepEqual(
      gateway.records.map((it) => it.requestId),
      ['call', 'call-2', 'call-3'],
    );
  });

  const sizes: readonly [number, number][] = [
    [0, 400],
    [1, 200],
    [32, 200],
    [33, 400],
  ];
  for (const [size, status] of sizes)
    it(`that are ${size} are answered with ${status}`, async () => {
      const gateway = mcpFrontUnderTest();
      const body = Array.from({ length: size }, (_, id) => request('ping', {}, id));
      const response = await gateway.post('/mcp', body);
      assert.equal(response.status, status);
      if (status === 200) assert.equal((await answersOf(response)).length, size);
      assert.equal(gateway.records.length, status === 200 ? size : 0);
    });

  it('that are notifications alone are accepted, and reach the servers of their session', async () => {
    const gateway = mcpFrontUnderTest();
    const session = await gateway.initialize('/web/mcp');
    const before = gateway.seen.length;
    const answer = { jsonrpc: '2.0', id: 9, result: {} };
    const response = await gateway.post('/web/mcp', [note, answer], { session });
    assert.deepEqual([response.status, await response.text()], [202, '']);
    assert.deepEqual(
      gateway.seen.slice(before).map((it) => it.method ?? it.id),
      ['notifications/initialized', 9],
    );
  });

  it('of which one is refused are answered once for it, also in a session', async () => {
    const gateway = mcpFrontUnderTest();
    const session = await gateway.initialize('/web/mcp');
    const before = gateway.seen.length;
    const answers = await answersOf(await gateway.post('/web/mcp', [5, note], { session }));
    assert.deepEqual(
      answers.map((it) => [it.id, typeof it.error]),
      [[null, 'object']],
    );
    assert.deepEqual(
      gateway.seen.slice(before).map((it) => it.method),
      ['notifications/initialized'],
    );
  });

  it('of the modern era, which has no batches, are refused one by one and reach no server', async () => {
    const gateway = mcpFrontUnderTest();
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const body = [note, request('tools/list', { _meta: modern }, 1)];
    const answers = await answersOf(await gateway.post('/web/mcp', body, { headers }));
    assert.deepEqual(
      answers.map((it) => [it.id, it.error]),
      [null, 1].map((id) => [id, { code: -32600, message: 'Invalid request: not allowed in a batch' }]),
    );
    assert.equal(gateway.seen.length, 0);
  });

  it('reach no server where their session is unknown', async () => {
    const gateway = mcpFrontUnderTest();
    const response = await gateway.post('/web/mcp', [request('tools/list'), note], { session: 'unknown' });
    assert.equal(response.status, 404);
    assert.deepEqual([gateway.seen.length, gateway.records.length], [0, 0]);
  });

  it('are asked in their session', async () => {
    const gateway = mcpFrontUnderTest();
    const session = await gateway.initialize('/web/mcp');
    await gateway.post('/web/mcp', [request('tools/list', {}, 1), request('prompts/list', {}, 2)], { session });
    assert.deepEqual(
      gateway.methods().filter((it) => it !== 'notifications/initialized'),
      ['initialize', 'tools/list', 'prompts/list'],
    );
    gateway.clock.pass(30 * 60_000 + 1);
    await gateway.front.sweep();
    assert.equal(gateway.front.sessionCount, 0);
  });

  const failures: readonly [string, Error, object | number][] = [
    [
      'a refusal of ours',
      new Fault('budget_exceeded', 'The budget is used up.'),
      { code: -32603, message: 'The budget is used up.', data: { reason: 'budget_exceeded' } },
    ],
    ['a sign-in that is needed', new Fault('auth_required', 'Sign in.'), 401],
  ];
  for (const [what, thrown, expected] of failures)
    it(`are answered with ${what}`, async () => {
      const gateway = mcpFrontUnderTest({ more: { preMcpCall: () => Promise.reject(thrown) } });
      const response = await gateway.post('/web/mcp', [
        request('tools/call', { name: 'x' }, 1),
        request('ping', {}, 2),
      ]);
      if (typeof expected === 'number') assert.equal(response.status, expected);
      else {
        const [first, second] = await answersOf(response);
        assert.deepEqual([first?.id, first?.error, second?.result], [1, expected, {}]);
      }
      assert.equal(gateway.records[0]?.status, 'failure');
    });

  it('of which one needs a server that fails are answered with what it is', async () => {
    const gateway = mcpFrontUnderTest({
      answer: ({ method }) => (method === 'tools/call' ? { status: 500 } : undefined),
    });
    const answers = await answersOf(
      await gateway.post('/web/mcp', [request('tools/call', { name: 'x' }, 1), request('tools/list', {}, 2)]),
    );
    assert.equal(answers[0]?.result?.['isError'], true);
    assert.deepEqual(answers[1]?.result?.['tools'], []);
  });
});
