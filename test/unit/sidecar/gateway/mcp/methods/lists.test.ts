import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { McpDeps } from '../../../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import {
  httpServer,
  idOf,
  mcpFrontUnderTest,
  readStream,
  request,
  result,
  type SeenMessage,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { events } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

const namesOf = (answer: { result?: Readonly<Record<string, unknown>> }, member = 'tools') =>
  ((answer.result?.[member] ?? []) as readonly { name: string }[]).map((it) => it.name);
const tools = (of: Readonly<Record<string, readonly string[]>>) => (seen: SeenMessage) =>
  seen.method === 'tools/list' ? result(seen, { tools: of[seen.server]?.map((name) => ({ name })) ?? [] }) : undefined;

describe('a list of several servers', () => {
  it('comes in pages of which each goes on where the one before ended', async () => {
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      options: { pageSize: 2 },
      answer: tools({ a: ['1', '2'], b: ['3', '4'] }),
    });
    const pages: (readonly string[])[] = [];
    for (let cursor: unknown; ; ) {
      const answer = await gateway.rpc('/mcp', 'tools/list', cursor === undefined ? {} : { cursor });
      pages.push(namesOf(answer));
      cursor = answer.result?.['nextCursor'];
      if (cursor === undefined) break;
    }
    assert.deepEqual(pages, [
      ['a__1', 'a__2'],
      ['b__3', 'b__4'],
    ]);
    for (const cursor of [
      'x',
      '',
      5,
      Buffer.from('-1').toString('base64url'),
      Buffer.from('1e3').toString('base64url'),
    ])
      assert.equal((await gateway.rpc('/mcp', 'tools/list', { cursor })).error?.code, -32602, String(cursor));
  });

  it('leaves out servers that fail or may not be asked, names them, and settles what was admitted', async () => {
    const settled: string[] = [];
    const admit: McpDeps['admit'] = async (_context, { server_id, isPart }) => {
      if (server_id === idOf('c')) throw new Fault('rate_limited', 'Too many.');
      return { settle: (spend) => void settled.push(`${server_id ?? 'all'} ${isPart ?? false} ${spend}`) };
    };
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b', 'c'],
      more: { admit },
      answer: (seen) => (seen.server === 'b' ? { status: 500 } : tools({ a: ['1'], c: ['2'] })(seen)),
    });
    const answer = await gateway.rpc('/mcp', 'tools/list');
    assert.deepEqual(namesOf(answer), ['a__1']);
    assert.deepEqual(answer.result?.['_meta'], {
      'switchboard/failed_servers': ['b', 'c'],
      'switchboard/missing': ["b: The MCP server 'b' returned HTTP status 500.", 'c: Too many.'],
    });
    assert.deepEqual(settled, ['id-a true 0', 'id-b true 0', 'all false 0']);
    assert.ok(!gateway.seen.some((it) => it.server === 'c'));
    assert.equal(gateway.records[0]?.status, 'success');
  });

  it('does not wait for a server beyond its time', async () => {
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      answer: (seen) => (seen.server === 'b' && seen.method === 'tools/list' ? 'silence' : tools({ a: ['1'] })(seen)),
    });
    const answer = gateway.rpc('/mcp', 'tools/list');
    await until('both are asked', () => gateway.methods().filter((it) => it === 'tools/list').length === 2);
    gateway.timers.pass(10_000);
    assert.deepEqual(namesOf(await answer), ['a__1']);
  });

  it('returns within a second what is ready to a client that listens, and notifies it of the rest', async () => {
    verifies('gateway.lists.ready');
    let answerLate: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      answerLate = resolve;
    });
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b', 'c'],
      answer: async (seen) => {
        if (seen.http === 'GET') return { status: 405 };
        if (seen.server !== 'a' && seen.method === 'tools/list') await late;
        return tools({ a: ['1'], b: ['2'], c: ['3'] })(seen);
      },
    });
    const session = await gateway.initialize('/mcp');
    const stream = readStream(await gateway.fetch('GET', '/mcp', undefined, { session }));
    const listing = gateway.rpc('/mcp', 'tools/list', {}, { session });
    await until('all are asked', () => gateway.methods().filter((it) => it === 'tools/list').length === 3);
    await until('one is ready', () => gateway.timers.count(800) === 1);
    gateway.timers.pass(800);
    const answer = await listing;
    assert.deepEqual(namesOf(answer), ['a__1']);
    const words = 'The MCP server is still starting. A list_changed notification follows when it is ready.';
    assert.deepEqual(answer.result?.['_meta'], {
      'switchboard/pending_servers': ['b', 'c'],
      'switchboard/missing': [`b: ${words}`, `c: ${words}`],
    });
    answerLate();
    assert.equal((await stream.message())?.method, 'notifications/tools/list_changed');
    assert.deepEqual(namesOf(await gateway.rpc('/mcp', 'tools/list', {}, { session })), ['a__1', 'b__2', 'c__3']);
    await stream.leave();
  });

  it('waits for all servers if the client does not listen, because it would not learn of the rest', async () => {
    verifies('gateway.lists.ready');
    let answerLate: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      answerLate = resolve;
    });
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      answer: async (seen) => {
        if (seen.server === 'b' && seen.method === 'tools/list') await late;
        return tools({ a: ['1'], b: ['2'] })(seen);
      },
    });
    const listing = gateway.rpc('/mcp', 'tools/list', {}, { session: await gateway.initialize('/mcp') });
    await until('both are asked', () => gateway.methods().filter((it) => it === 'tools/list').length === 2);
    gateway.timers.pass(800);
    answerLate();
    const answer = await listing;
    assert.deepEqual([namesOf(answer), answer.result?.['_meta']], [['a__1', 'b__2'], undefined]);
  });

  it('has no name that two servers both use', async () => {
    const twin = { ...httpServer('b'), alias: 'a' };
    const gateway = mcpFrontUnderTest({
      servers: ['a', twin],
      answer: tools({ a: ['both', 'one'], b: ['both', 'other'] }),
    });
    assert.deepEqual(namesOf(await gateway.rpc('/mcp', 'tools/list')), ['a__one', 'a__other']);
    assert.match(gateway.logLines.join(), /Items were omitted from a list because their names are not unique/);
    assert.deepEqual(
      gateway.methods().filter((it) => it === 'tools/call'),
      [],
    );
    assert.equal((await gateway.rpc('/mcp', 'tools/call', { name: 'a__one' })).result?.['isError'], true);
  });

  it('shows what the caller may use of what may be shown, by names that clients can use', async () => {
    const listed: unknown[] = [];
    const gateway = mcpFrontUnderTest({
      more: {
        visible: () => [{ server: httpServer('a'), allows: (tool) => tool !== 'hidden', isWhole: false }],
        toolsListed: async ({ server }, all) => {
          listed.push(
            server.server_id,
            all.map((it) => it['name']),
          );
          return all.filter((it) => it['name'] !== 'changed');
        },
      },
      answer: tools({ a: ['ok', 'hidden', 'changed', 'a\nb', ''] }),
    });
    for (const [path, prefix] of [
      ['/mcp', 'a__'],
      ['/a/mcp', ''],
    ]) {
      const answer = await gateway.rpc(String(path), 'tools/list');
      assert.deepEqual(namesOf(answer), [`${prefix}ok`]);
      assert.deepEqual(answer.result?.['_meta'], { 'switchboard/left_out_tools': 2 });
    }
    assert.deepEqual(listed, ['id-a', ['ok', 'hidden', 'changed'], 'id-a', ['ok', 'hidden', 'changed']]);
    assert.deepEqual(namesOf(await gateway.rpc('/mcp', 'prompts/list'), 'prompts'), []);
    assert.ok(!gateway.methods().includes('prompts/list'));
  });
});

describe('limits of a caller', () => {
  it('count every request but the handshake, for the one server or for all, and are settled when it is over', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a'] });
    for (const [path, method] of [
      ['/a/mcp', 'ping'],
      ['/a/mcp', 'prompts/list'],
      ['/mcp', 'ping'],
      ['/a/mcp', 'no/such'],
    ] as const)
      await gateway.rpc(path, method);
    assert.deepEqual(gateway.admitted, [
      { cost: 0, server_id: 'id-a', spend: 0 },
      { cost: 0, server_id: 'id-a', spend: 0 },
    ]);
  });

  it('are settled also when an answer streams, and for lists over REST', async () => {
    const gateway = mcpFrontUnderTest({
      answer: ({ method, id }) => (method === 'prompts/get' ? events([{ id: id ?? 0, result: {} }]) : undefined),
    });
    const session = await gateway.initialize('/web/mcp');
    await (await gateway.post('/web/mcp', request('prompts/get', { name: 'p' }), { session })).text();
    assert.equal((await gateway.fetch('GET', '/v1/mcp/tools', undefined)).status, 200);
    assert.equal(gateway.admitted.length, 3);
    assert.deepEqual(
      gateway.admitted.map((it) => it.spend),
      [0, 0, 0],
    );
  });

  it('refuse before a server is asked', async () => {
    const gateway = mcpFrontUnderTest({
      more: { admit: () => Promise.reject(new Fault('rate_limited', 'Too many.')) },
    });
    assert.equal((await gateway.post('/web/mcp', request('tools/list'))).status, 429);
    assert.equal((await gateway.post('/web/mcp', request('ping'))).status, 200);
    assert.equal(gateway.seen.length, 0);
    assert.deepEqual(
      gateway.records.map((it) => it.error_code),
      ['rate_limited', undefined],
    );
  });
});

describe('resources of several servers', () => {
  const owned = (seen: SeenMessage) => {
    if (seen.method === 'resources/list')
      return result(seen, { resources: seen.server === 'a' ? [{ uri: 'x:1' }] : [{ uri: 'x:1' }, { uri: 'y:1' }] });
    if (seen.method === 'resources/templates/list')
      return result(seen, {
        resourceTemplates:
          seen.server === 'a'
            ? [{ uriTemplate: 'z:{id}' }, { uriTemplate: '{any}' }]
            : [{ uriTemplate: 'z:deep/{id}' }],
      });
    return undefined;
  };
  const reads = (seen: readonly SeenMessage[]) =>
    seen.filter((it) => it.method === 'resources/read').map((it) => [it.server, it.params?.['uri']]);
  const lists = (seen: readonly SeenMessage[]) => seen.filter((it) => it.method === 'resources/list').length;

  it('are read at their owner: the first that lists them, else the closest template', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a', 'b'], answer: owned });
    for (const uri of ['x:1', 'y:1', 'z:7', 'z:deep/7', 'z:{id}']) await gateway.rpc('/mcp', 'resources/read', { uri });
    assert.deepEqual(reads(gateway.seen), [
      ['a', 'x:1'],
      ['b', 'y:1'],
      ['a', 'z:7'],
      ['b', 'z:deep/7'],
      ['a', 'z:{id}'],
    ]);
    assert.equal(lists(gateway.seen), 2, 'each server is asked once');
    assert.equal((await gateway.rpc('/mcp', 'resources/read', {})).error?.code, -32602);
  });

  it('that nobody has are looked for again after five seconds, and at once when lists change', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a'], answer: owned });
    const ask = async () => {
      const { error } = await gateway.rpc('/mcp', 'resources/read', { uri: 'no:1' });
      return [error?.code, lists(gateway.seen)];
    };
    assert.deepEqual(await ask(), [-32002, 1]);
    gateway.clock.pass(4_999);
    assert.deepEqual(await ask(), [-32002, 1]);
    gateway.clock.pass(1);
    assert.deepEqual(await ask(), [-32002, 2]);
    gateway.front.listsChanged();
    assert.deepEqual(await ask(), [-32002, 3]);
  });

  it('are no longer read by a caller whose access was withdrawn, although their owner is still cached', async () => {
    let isWhole = true;
    const gateway = mcpFrontUnderTest({
      answer: owned,
      more: { visible: () => ['a', 'b'].map((it) => ({ server: httpServer(it), allows: () => true, isWhole })) },
    });
    const read = async () => (await gateway.rpc('/mcp', 'resources/read', { uri: 'x:1' })).error?.code;
    assert.equal(await read(), undefined);
    isWhole = false;
    assert.equal(await read(), -32002);
    assert.deepEqual(reads(gateway.seen), [['a', 'x:1']]);
  });

  it('are remembered for each caller apart', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a'], answer: owned });
    for (const key of ['key-1', 'key-2', 'key-1']) await gateway.rpc('/mcp', 'resources/read', { uri: 'x:1' }, { key });
    assert.equal(lists(gateway.seen), 2);
  });
});
