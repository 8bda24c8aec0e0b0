import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { metaKeys } from '../../../../../../sidecar/protocol/gateway/mcpWire.ts';
import {
  liveStream,
  type McpFrontSetup,
  mcpFrontUnderTest,
  messageOf,
  modernHeaders,
  modernRequest,
  readStream,
  result,
  type SeenMessage,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { json } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';

const acknowledged = 'notifications/subscriptions/acknowledged';
const acknowledge = (notifications: object) => ({ method: acknowledged, params: { notifications } });
const all = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a:1'] };

describe('a subscription of the modern era', () => {
  function subscribing(more: McpFrontSetup = {}) {
    const lives: (ReturnType<typeof liveStream> & { readonly seen: SeenMessage })[] = [];
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      ...more,
      answer: async (seen) => {
        const own = await more.answer?.(seen);
        if (own) return own;
        if (seen.method === 'server/discover') return result(seen, { supportedVersions: ['2026-07-28'] });
        if (seen.method !== 'subscriptions/listen') return undefined;
        const live = { ...liveStream(), seen };
        lives.push(live);
        return live.stream;
      },
    });
    const subscribe = (path: string, notifications: object = all, signal?: AbortSignal) =>
      gateway.post(path, modernRequest('subscriptions/listen', { notifications }, 's1'), {
        headers: modernHeaders('subscriptions/listen'),
        ...(signal && { signal }),
      });
    const live = async (alias: string) =>
      until(`${alias} was asked`, () => lives.find((it) => it.seen.server === alias));
    return { gateway, lives, live, subscribe };
  }

  it('is acknowledged once, with what any of its servers accepted, before anything else', async () => {
    const { gateway, live, subscribe } = subscribing();
    const response = subscribe('/mcp');
    (await live('a')).write(acknowledge({ toolsListChanged: true, resourceSubscriptions: ['a:1'] }));
    (await live('b')).write(acknowledge({ toolsListChanged: true, resourceSubscriptions: ['a:1', 'b:1'] }));
    (await live('b')).write({ method: 'notifications/tools/list_changed', params: { n: 1 } });
    const stream = readStream(await response);
    const first = await stream.message();
    assert.equal(first?.method, acknowledged);
    assert.deepEqual(first?.params, {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['a:1', 'b:1'] },
      _meta: { [metaKeys.subscriptionId]: 's1' },
    });
    assert.deepEqual((await stream.message())?.params, { n: 1 });
    (await live('a')).write(acknowledge({ promptsListChanged: true }));
    (await live('a')).write({ method: 'notifications/prompts/list_changed' });
    assert.equal((await stream.message())?.method, 'notifications/prompts/list_changed');
    assert.equal(gateway.timers.count(5_000), 0);
  });

  for (const [title, list, member] of [
    ['tools', 'tools', 'toolsListChanged'],
    ['prompts', 'prompts', 'promptsListChanged'],
    ['resources', 'resources', 'resourcesListChanged'],
  ] as const)
    it(`for ${title} alone is acknowledged as such, and notified by the gateway of them alone`, async () => {
      const { gateway, live, subscribe } = subscribing();
      const response = subscribe('/a/mcp', { [member]: true });
      (await live('a')).write(acknowledge({ [member]: true }));
      const stream = readStream(await response);
      assert.deepEqual((await stream.message())?.params?.['notifications'], { [member]: true });
      gateway.front.listsChanged();
      const notice = await stream.message();
      assert.equal(notice?.method, `notifications/${list}/list_changed`);
      assert.deepEqual(notice?.params, { _meta: { [metaKeys.subscriptionId]: 's1' } });
      gateway.front.endStreams();
      assert.deepEqual((await stream.message())?.result, {
        resultType: 'complete',
        _meta: { [metaKeys.subscriptionId]: 's1' },
      });
      assert.equal(await stream.message(), undefined);
      await until('its server is let go', () => gateway.open() === 0);
      gateway.front.listsChanged();
      assert.deepEqual(
        gateway.records.map((it) => it.status),
        ['success'],
      );
    });

  it('waits five seconds for the slowest server, and still brings what it sends then', async () => {
    const { gateway, live, subscribe } = subscribing();
    const response = subscribe('/mcp');
    (await live('a')).write(acknowledge({ toolsListChanged: true }));
    await live('b');
    await until('one is waited for', () => gateway.timers.count(5_000) === 1);
    gateway.timers.pass(5_000);
    const stream = readStream(await response);
    assert.deepEqual((await stream.message())?.params?.['notifications'], { toolsListChanged: true });
    (await live('b')).write(acknowledge({ promptsListChanged: true }));
    (await live('b')).write({ method: 'notifications/prompts/list_changed' });
    assert.equal((await stream.message())?.method, 'notifications/prompts/list_changed');
  });

  it('goes on while one of its servers is left, and is answered when none is', async () => {
    const { gateway, live, subscribe } = subscribing();
    const response = subscribe('/mcp');
    for (const it of ['a', 'b']) (await live(it)).write(acknowledge({ toolsListChanged: true }));
    const stream = readStream(await response);
    await stream.message();
    (await live('a')).fail();
    await until('the other is let go', () => gateway.open() === 1);
    (await live('b')).write({ method: 'notifications/tools/list_changed', params: { n: 2 } });
    assert.deepEqual((await stream.message())?.params, { n: 2 });
    (await live('b')).write({ id: 's1', result: {} });
    (await live('b')).end();
    assert.equal((await stream.message())?.id, 's1');
    assert.equal(await stream.message(), undefined);
    gateway.front.endStreams();
    assert.deepEqual(
      gateway.records.map((it) => it.status),
      ['success'],
    );
  });

  it('that its reader leaves is let go at all servers, and notified of nothing', async () => {
    const { gateway, live, subscribe } = subscribing();
    const response = subscribe('/mcp');
    for (const it of ['a', 'b']) (await live(it)).write(acknowledge({ toolsListChanged: true }));
    const stream = readStream(await response);
    await stream.message();
    await stream.leave();
    await until('its servers are let go', () => gateway.open() === 0);
    gateway.front.listsChanged();
    gateway.front.endStreams();
    await until('it is on record', () => gateway.records[0]?.status);
    assert.deepEqual(
      gateway.records.map((it) => it.error_code),
      ['caller_left'],
    );
  });

  it('of one server that refuses is answered with its refusal, and notified of nothing', async () => {
    const error = { code: -32001, message: 'no' };
    const { gateway, subscribe } = subscribing({
      answer: ({ method, id }) => (method === 'subscriptions/listen' ? json({ jsonrpc: '2.0', id, error }) : undefined),
    });
    assert.deepEqual((await messageOf(await subscribe('/a/mcp'))).error, error);
    gateway.front.endStreams();
  });

  it('of servers that all fail is answered as their failure', async () => {
    const { subscribe } = subscribing({
      answer: ({ method }) => (method === 'subscriptions/listen' ? { status: 500 } : undefined),
    });
    assert.deepEqual((await messageOf(await subscribe('/mcp'))).error?.data, { reason: 'status' });
  });

  it('of servers of which one fails begins with the other', async () => {
    const { live, subscribe } = subscribing({
      answer: ({ method, server }) =>
        method === 'subscriptions/listen' && server === 'a' ? { status: 500 } : undefined,
    });
    const response = subscribe('/mcp');
    (await live('b')).write(acknowledge({ toolsListChanged: true }));
    assert.equal((await readStream(await response).message())?.method, acknowledged);
  });

  it('of no server is complete at once', async () => {
    const { subscribe } = subscribing({ servers: [] });
    assert.equal((await messageOf(await subscribe('/mcp'))).result?.['resultType'], 'complete');
  });

  it('without a filter is refused, and no server is asked', async () => {
    const { lives, subscribe } = subscribing();
    assert.equal((await messageOf(await subscribe('/a/mcp', ['x']))).error?.code, -32602);
    assert.equal(lives.length, 0);
  });

  it('of a caller with some tools asks its server for changes of tools alone', async () => {
    const some = { server_id: 'id-a', alias: 'a', transport: 'http', url: 'http://a/mcp' } as const;
    const asked: readonly [object, object][] = [
      [all, { toolsListChanged: true }],
      [{ promptsListChanged: true }, {}],
    ];
    for (const [wanted, sent] of asked) {
      const { live, subscribe } = subscribing({
        more: { visible: () => [{ server: some, allows: () => true, isWhole: false }] },
      });
      const response = subscribe('/a/mcp', wanted);
      const { seen, write } = await live('a');
      assert.deepEqual(seen.params?.['notifications'], sent);
      write(acknowledge(sent));
      write({ method: 'notifications/resources/updated', params: { uri: 'a:1' } });
      write({ method: 'notifications/tools/list_changed' });
      const stream = readStream(await response);
      await stream.message();
      assert.equal((await stream.message())?.method, 'notifications/tools/list_changed');
    }
  });
});
