import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { mcpFrontUnderTest, request } from '../../../../../support/mcp/frontUnderTest.ts';

const note = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params });
const answer = (id: string | number) => ({ jsonrpc: '2.0', id, result: {} });
const big = { _meta: { x: 'y'.repeat(5_000) } };

import { until } from '../../../../../support/until.ts';

describe('what a client posts besides requests', () => {
  /** What the servers get, each as its name and an id, a token or a method; `a` and `b` are connected, `c` is not. */
  const rows: readonly [string, string, object, readonly string[]][] = [
    ['an answer for one of several', '/mcp', answer('id-b:7'), ['b 7']],
    ['an answer by a text id', '/mcp', answer('id-a:"7"'), ['a 7']],
    ['an answer for a server that is not connected', '/mcp', answer('id-c:7'), []],
    ['an answer for a server of nobody', '/mcp', answer('id-x:7'), []],
    ['an answer without a server', '/mcp', answer(7), []],
    ['an answer for the one server', '/a/mcp', answer(7), ['a 7']],
    ['an answer that looks as if it were for another', '/a/mcp', answer('id-b:7'), ['a id-b:7']],
    ['progress for one of several', '/mcp', note('notifications/progress', { progressToken: 'id-b:"t"' }), ['b t']],
    ['progress for nobody', '/mcp', note('notifications/progress', { progressToken: 't' }), []],
    ['progress for the one server', '/a/mcp', note('notifications/progress', { progressToken: 't' }), ['a t']],
    ['its roots at several', '/mcp', note('notifications/roots/list_changed'), ['a roots', 'b roots']],
    ['its roots at the one server', '/a/mcp', note('notifications/roots/list_changed'), ['a roots']],
    ['the end of its handshake at several', '/mcp', note('notifications/initialized'), []],
    ['the end of its handshake at the one server', '/a/mcp', note('notifications/initialized'), ['a initialized']],
    ['a cancellation of nothing', '/a/mcp', note('notifications/cancelled', { requestId: 99 }), []],
    ['roots with more than anybody needs', '/a/mcp', note('notifications/roots/list_changed', big), []],
    ['a notification of nobody', '/a/mcp', note('notifications/nobody'), []],
  ];
  for (const [what, path, message, expected] of rows)
    it(`${what} reaches ${expected.join(' and ') || 'no server'}`, async () => {
      const gateway = mcpFrontUnderTest({ servers: ['a', 'b', 'c'] });
      const session = await gateway.initialize(path);
      for (const name of path === '/mcp' ? ['a__x', 'b__x'] : ['x'])
        await gateway.rpc(path, 'tools/call', { name }, { session });
      const before = gateway.seen.length;
      const records = gateway.records.length;
      assert.equal((await gateway.post(path, message, { session })).status, 202);
      const got = gateway.seen.slice(before).map(({ server, id, params, method = '' }) => {
        const what = id ?? (params?.['progressToken'] as string | undefined) ?? method.split('/')[1];
        return `${server} ${what}`;
      });
      assert.deepEqual(got.toSorted(), [...expected]);
      assert.equal(gateway.records.length - records, what.endsWith('of nobody') && 'method' in message ? 1 : 0);
    });

  it('reaches no server without a session', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a'] });
    await gateway.rpc('/a/mcp', 'tools/list');
    const before = gateway.seen.length;
    for (const it of [answer(7), note('notifications/roots/list_changed')])
      assert.equal((await gateway.post('/a/mcp', it)).status, 202);
    assert.equal(gateway.seen.length, before);
  });

  it('goes out in the session of its server, in the version that its headers name', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a'] });
    const [mine, other] = [await gateway.initialize('/a/mcp'), await gateway.initialize('/a/mcp')];
    const sessionOf = async (session: string) => {
      const headers = { 'mcp-protocol-version': '2025-06-18' };
      await gateway.post('/a/mcp', note('notifications/roots/list_changed'), { session, headers });
      return [gateway.seen.at(-1)?.session, gateway.seen.at(-1)?.headers['mcp-protocol-version']];
    };
    const [first, second] = [await sessionOf(mine), await sessionOf(other)];
    assert.notEqual(first[0], second[0]);
    assert.deepEqual([first[1], second[1]], ['2025-06-18', '2025-06-18']);
  });

  it('cancels the call of its own session that has this id, written as it was', async () => {
    const waiting = (name: string) => name.startsWith('hang');
    const gateway = mcpFrontUnderTest({
      answer: ({ method, params }) =>
        method === 'tools/call' && waiting(String(params?.['name'])) ? 'silence' : undefined,
    });
    const [mine, other] = [await gateway.initialize('/web/mcp'), await gateway.initialize('/web/mcp')];
    const call = (session: string, id: string | number) =>
      gateway.post('/web/mcp', request('tools/call', { name: 'hang' }, id), { session });
    void call(other, 1);
    const texts = call(mine, '1');
    const cancelled = call(mine, 1);
    await until('all are under way', () => gateway.methods().filter((it) => it === 'tools/call').length === 3);
    await gateway.post('/web/mcp', note('notifications/cancelled', { requestId: 1 }), { session: mine });
    assert.match(await (await cancelled).text(), /The call was canceled/);
    assert.deepEqual(
      gateway.records.filter((it) => it.call_type === 'mcp:tools/call').map((it) => it.error_code),
      [undefined, undefined, 'cancelled'],
    );
    await gateway.post('/web/mcp', note('notifications/cancelled', { requestId: '1' }), { session: mine });
    assert.match(await (await texts).text(), /The call was canceled/);
  });
});
