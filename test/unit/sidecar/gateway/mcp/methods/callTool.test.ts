import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { GuardedCall, McpDeps } from '../../../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import {
  httpServer,
  liveStream,
  type McpFrontSetup,
  mcpFrontUnderTest,
  readStream,
  request,
  result,
  type SeenMessage,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { events, json, type Scripted } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';

const priced = httpServer('web', {
  mcp_info: { mcp_server_cost_info: { default_cost_per_query: 2, tool_name_to_cost_per_query: { x: 3, free: 0 } } },
});
const calls = (of: readonly SeenMessage[]) => of.filter((it) => it.method === 'tools/call');
const refusal = { guardrail_name: 'g', error: 'guardrail_violation', message: 'Not this.' } as const;
const answered = events([
  { method: 'notifications/message', params: {} },
  { id: 1, result: { content: [] } },
]);

describe('the price of a tool call', () => {
  const ends: readonly [string, Scripted | Error, number][] = [
    ['an answer', json({ jsonrpc: '2.0', id: 1, result: { content: [] } }), 3],
    ['an answer that the tool calls an error', json({ jsonrpc: '2.0', id: 1, result: { isError: true } }), 3],
    ['an error', json({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no' } }), 0],
    ['an answer on a stream', answered, 3],
    ['an error on a stream', events([{ id: 1, error: { code: -32000, message: 'no' } }]), 0],
    ['a stream that is to be resumed', { ...answered, body: ['id: 1\ndata: \n\n'] }, 3],
    ['a stream that breaks off', events(['data: {"jsonrpc":']), 0],
    ['a status', { status: 503 }, 0],
    ['no answer', new Error('reset'), 0],
  ];
  for (const [what, ending, spend] of ends)
    it(`is ${spend} for ${what}, reserved before and settled once`, async () => {
      const settled: number[] = [];
      const reserved: unknown[] = [];
      const admit: McpDeps['admit'] = async (_context, { cost, server_id }) => {
        reserved.push([cost, server_id]);
        return { settle: (it) => void settled.push(it) };
      };
      const gateway = mcpFrontUnderTest({
        servers: [priced],
        more: { admit },
        answer: (seen) => {
          if (seen.method === 'tools/call') return ending;
          return seen.method === 'tools/list' ? result(seen, { tools: [{ name: 'x' }] }) : undefined;
        },
      });
      const session = await gateway.initialize('/web/mcp');
      await (await gateway.post('/web/mcp', request('tools/call', { name: 'x' }), { session })).text();
      assert.deepEqual([reserved, settled], [[[3, 'id-web']], [spend]]);
      const [, record] = gateway.records;
      assert.equal(record?.status === 'success' ? record.spend : 0, spend);
    });

  it('is missing if a caller without a session disconnects before the answer', async () => {
    const live = liveStream();
    const gateway = mcpFrontUnderTest({
      servers: [priced],
      answer: ({ method }) => (method === 'tools/call' ? live.stream : undefined),
    });
    const stream = readStream(await gateway.post('/web/mcp', request('tools/call', { name: 'x' })));
    live.write({ method: 'notifications/message', params: {} });
    await stream.message();
    assert.deepEqual(gateway.admitted, [{ cost: 3, server_id: 'id-web' }]);
    await stream.leave();
    await until('it is settled', () => gateway.admitted[0]?.spend !== undefined);
    assert.deepEqual(gateway.admitted, [{ cost: 3, server_id: 'id-web', spend: 0 }]);
  });

  it('is the one of the tool, else of its server', async () => {
    const gateway = mcpFrontUnderTest({ servers: [priced, httpServer('other')] });
    for (const name of ['web__x', 'web__y', 'web__free', 'other__x']) await gateway.rpc('/mcp', 'tools/call', { name });
    assert.deepEqual(
      gateway.admitted.map((it) => [it.cost, it.spend]),
      [3, 2, 0, 0].map((it) => [it, it]),
    );
  });
});

describe('a tool call that is refused', () => {
  const rows: readonly [string, McpFrontSetup['more'], string, number, number][] = [
    ['before it is admitted', { preMcpCall: async () => ({ refusal }) }, 'guardrail_violation', 0, 0],
    ['before it is sent', { beforeSending: async () => refusal }, 'guardrail_violation', 1, 0],
    ['while it runs', { duringMcpCall: async () => refusal }, 'guardrail_violation', 1, 1],
  ];
  for (const [when, more, code, admitted, sent] of rows)
    it(`${when} costs nothing, is on record, and says why`, async () => {
      const gateway = mcpFrontUnderTest({ servers: [priced], ...(more && { more }) });
      const answer = await gateway.rpc('/web/mcp', 'tools/call', { name: 'x' });
      assert.deepEqual(answer.result?.['content'], [{ type: 'text', text: 'Error: Not this.' }]);
      assert.deepEqual(
        gateway.admitted.map((it) => it.spend),
        admitted === 0 ? [] : [0],
      );
      assert.equal(calls(gateway.seen).length, sent);
      const [record] = gateway.records;
      assert.deepEqual([record?.status, record?.error, record?.error_code], ['failure', 'g: Not this.', code]);
    });

  it('by limits is sent nowhere', async () => {
    const gateway = mcpFrontUnderTest({
      more: { admit: () => Promise.reject(new Fault('budget_exceeded', 'Used up.')) },
    });
    const response = await gateway.post('/web/mcp', request('tools/call', { name: 'x' }));
    assert.equal(response.ok, false);
    assert.equal(gateway.seen.length, 0);
  });

  it('by a guardrail that fails is settled with nothing', async () => {
    const gateway = mcpFrontUnderTest({
      servers: [priced],
      more: { beforeSending: () => Promise.reject(new Fault('unavailable', 'Away.')) },
    });
    await gateway.post('/web/mcp', request('tools/call', { name: 'x' }));
    assert.deepEqual(
      gateway.admitted.map((it) => it.spend),
      [0],
    );
    assert.equal(gateway.seen.length, 0);
  });
});

describe('a tool call that is judged', () => {
  it('is sent with the arguments and headers of the judgement, and judged by them from then on', async () => {
    const judged: [string, unknown, unknown][] = [];
    const note = (at: string, { arguments: args, tool, server }: GuardedCall) =>
      judged.push([at, args, `${server.server_id} ${tool}`]);
    const headers: unknown[] = [];
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      more: {
        preMcpCall: async (call) => {
          note('pre', call);
          return { arguments: { t: 'masked' }, headers: { 'x-assertion': 'signed' } };
        },
        beforeSending: async ({ tool, server }) =>
          void judged.push(['before', undefined, `${server.server_id} ${tool}`]),
        duringMcpCall: async (call) => void note('during', call),
      },
    });
    const { outbound } = gateway.deps;
    Object.assign(gateway.deps, {
      outbound: (...all: Parameters<typeof outbound>) => {
        headers.push([all[2].method, all[2].tool, all[2].headers]);
        return outbound(...all);
      },
    });
    await gateway.rpc('/mcp', 'tools/call', { name: 'b__x__y', arguments: { t: 'secret' } });
    assert.deepEqual(judged, [
      ['pre', { t: 'secret' }, 'id-b x__y'],
      ['before', undefined, 'id-b x__y'],
      ['during', { t: 'masked' }, 'id-b x__y'],
    ]);
    const [sent] = calls(gateway.seen);
    assert.deepEqual([sent?.server, sent?.params], ['b', { name: 'x__y', arguments: { t: 'masked' } }]);
    assert.deepEqual(headers.at(-1), ['tools/call', 'x__y', { 'x-assertion': 'signed' }]);
    const [record] = gateway.records;
    assert.deepEqual([record?.model, record?.mcp_namespaced_tool_name], ['MCP: x__y', 'b/x__y']);
  });

  it('beside its server is stopped with its caller', async () => {
    let seen: AbortSignal | undefined;
    const gateway = mcpFrontUnderTest({
      answer: ({ method }) => (method === 'tools/call' ? 'silence' : undefined),
      more: {
        duringMcpCall: (_call, signal) => {
          seen = signal;
          return Promise.reject(new Error('nobody waits for it'));
        },
      },
    });
    const caller = new AbortController();
    const answer = gateway.post('/web/mcp', request('tools/call', { name: 'x' }), { signal: caller.signal });
    await until('it was sent', () => calls(gateway.seen).length === 1);
    caller.abort();
    await answer;
    assert.equal(seen?.aborted, true);
  });
});

describe('a tool that its server has not', () => {
  const missing = (seen: SeenMessage) => {
    if (seen.method === 'tools/list') return result(seen, { tools: [{ name: 'known' }] });
    const error = { code: -32602, message: `Unknown tool ${String(seen.params?.['name'])}` };
    return seen.method === 'tools/call' ? json({ jsonrpc: '2.0', id: seen.id, error }) : undefined;
  };
  it('is refused in the words for a hidden one, and the list is asked for once a minute and key', async () => {
    const gateway = mcpFrontUnderTest({ answer: missing });
    const lists = () => gateway.methods().filter((it) => it === 'tools/list').length;
    const ask = async (name: string, key = 'key-1') =>
      (await gateway.rpc('/web/mcp', 'tools/call', { name }, { key })).result?.['isError'];
    assert.deepEqual([await ask('none'), await ask('other'), await ask('known')], [true, true, undefined]);
    assert.equal(lists(), 1);
    await ask('none', 'key-2');
    assert.equal(lists(), 2);
    gateway.clock.pass(59_999);
    await ask('none');
    assert.equal(lists(), 2);
    gateway.clock.pass(1);
    await ask('none');
    assert.equal(lists(), 3);
    gateway.front.listsChanged();
    await ask('none');
    assert.equal(lists(), 4);
    assert.deepEqual(gateway.records.map((it) => [it.model, it.mcp_namespaced_tool_name])[0], [
      'MCP: tools/call',
      'web',
    ]);
  });

  it('is what its server says of it where the server cannot list', async () => {
    const gateway = mcpFrontUnderTest({
      answer: (seen) => (seen.method === 'tools/list' ? { status: 500 } : missing(seen)),
    });
    assert.equal((await gateway.rpc('/web/mcp', 'tools/call', { name: 'none' })).error?.code, -32602);
    assert.equal((await gateway.rpc('/web/mcp', 'tools/call', { name: 'none' })).error?.code, -32602);
    assert.equal(gateway.methods().filter((it) => it === 'tools/list').length, 2);
  });
});
