import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { later } from '../../../../../support/later.ts';
import {
  liveStream,
  type McpFrontSetup,
  mcpFrontUnderTest,
  readStream,
  request,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { until } from '../../../../../support/until.ts';

type Live = ReturnType<typeof liveStream>;
const note = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } });
const dataOf = (message: { params?: Readonly<Record<string, unknown>> } | undefined) => message?.params?.['data'];

describe('the stream of a session', () => {
  /** Servers whose streams a test writes to, in the order in which they were asked for. */
  function streaming(more: McpFrontSetup = {}) {
    const lives: (Live & { readonly server: string; readonly last: string | undefined })[] = [];
    const gateway = mcpFrontUnderTest({
      ...more,
      answer: (seen) => {
        if (seen.http !== 'GET') return more.answer?.(seen);
        const live = { ...liveStream(), server: seen.server, last: seen.headers['last-event-id'] };
        lives.push(live);
        return live.stream;
      },
    });
    const listen = async (path: string, session: string, last?: string) =>
      readStream(
        await gateway.fetch('GET', path, undefined, {
          session,
          ...(last !== undefined && { headers: { 'last-event-id': last } }),
        }),
      );
    return { gateway, lives, listen };
  }
  const call = (name: string, id = 1) => request('tools/call', { name }, id);

  it('brings what servers that are connected later send, each joined once', async () => {
    const { gateway, lives, listen } = streaming({ servers: ['a', 'b'] });
    const session = await gateway.initialize('/mcp');
    const stream = await listen('/mcp', session);
    assert.equal(await stream.next(), ': open\n\n');
    assert.equal(lives.length, 0);
    for (const name of ['a__x', 'b__x', 'a__x']) {
      const answer = gateway.post('/mcp', call(name), { session });
      await until('the stream was asked for', () => lives.some((it) => name.startsWith(it.server)));
      gateway.timers.pass(20);
      assert.equal((await answer).status, 200);
    }
    assert.deepEqual(
      lives.map((it) => it.server),
      ['a', 'b'],
    );
    lives[1]?.write({ id: 3, method: 'roots/list' }, 'e1');
    assert.match((await stream.next()) ?? '', /^id: id-b:e1\ndata: .*"id":"id-b:3"/);
    lives[0]?.write(note('of a'));
    assert.equal(dataOf(await stream.message()), 'of a');
  });

  it('takes up the one server that it was at, and only that from where it was', async () => {
    const { gateway, lives, listen } = streaming({ servers: ['a', 'b'] });
    const session = await gateway.initialize('/mcp');
    await listen('/mcp', session, 'id-b:e7');
    await until('its stream was asked for', () => lives.length > 0);
    const answer = gateway.post('/mcp', call('a__x'), { session });
    await until('the other was connected', () => lives.length > 1);
    gateway.timers.pass(20);
    await answer;
    assert.deepEqual(
      lives.map((it) => [it.server, it.last]),
      [
        ['b', 'e7'],
        ['a', undefined],
      ],
    );
  });

  it('goes on at one server from where it was, and ends with it', async () => {
    const { gateway, lives, listen } = streaming();
    const session = await gateway.initialize('/web/mcp');
    const stream = await listen('/web/mcp', session, 'id-web:e7');
    await until('it was asked for', () => lives.length > 0);
    assert.equal(lives[0]?.last, 'id-web:e7');
    lives[0]?.write({ id: 3, method: 'roots/list' }, 'e8');
    await stream.next();
    assert.match((await stream.next()) ?? '', /^id: e8\ndata: .*"id":3/);
    lives[0]?.end();
    assert.equal(await stream.message(), undefined);
    assert.match(gateway.logLines.join(), /A server stream ended/);
  });

  it('is asked for again a second after a server of several ended it, from the last event that came', async () => {
    const { gateway, lives, listen } = streaming({ servers: ['a', 'b'] });
    const session = await gateway.initialize('/mcp');
    await gateway.post('/mcp', call('a__x'), { session });
    const stream = await listen('/mcp', session);
    await until('it was asked for', () => lives.length === 1);
    lives[0]?.write(note('one'), 'e1');
    lives[0]?.write(note('two'));
    assert.equal(dataOf(await stream.message()), 'one');
    assert.equal(dataOf(await stream.message()), 'two');
    lives[0]?.end();
    await until('it waits', () => gateway.timers.count(1_000) === 1);
    assert.equal(lives.length, 1);
    gateway.timers.pass(1_000);
    await until('it was asked for again', () => lives.length === 2);
    assert.equal(lives[1]?.last, 'e1');
    lives[1]?.write(note('three'));
    assert.equal(dataOf(await stream.message()), 'three');
  });

  it('of a server that lost the session and got a new one begins anew, and not where the client was', async () => {
    let isLost = true;
    const { gateway, lives, listen } = streaming({
      servers: ['a', 'b'],
      answer: ({ method }) => {
        if (method !== 'tools/call' || !isLost) return undefined;
        isLost = false;
        lives[0]?.fail();
        return { status: 404 };
      },
    });
    const session = await gateway.initialize('/mcp');
    await listen('/mcp', session, 'id-b:e7');
    await until('its stream was asked for', () => lives.length > 0);
    gateway.timers.pass(20);
    const answer = gateway.post('/mcp', call('b__x'), { session });
    await until('the stream of its new session was asked for', () => lives.length > 1);
    gateway.timers.pass(20);
    assert.equal((await answer).status, 200);
    assert.deepEqual(
      lives.map((it) => [it.server, it.last]),
      [
        ['b', 'e7'],
        ['b', undefined],
      ],
    );
  });

  it('is opened with the server before a call that follows it, and no longer than it takes', async () => {
    for (const passed of [20, 500]) {
      const { gateway, lives, listen } = streaming();
      const session = await gateway.initialize('/web/mcp');
      await listen('/web/mcp', session);
      await until('it was asked for', () => lives.length === 1);
      gateway.timers.pass(passed);
      await gateway.post('/web/mcp', call('x'), { session });
      assert.equal(gateway.timers.count(500), 0);
    }
  });

  it('that a server does not open holds calls up until half a second passed', async () => {
    const gateway = mcpFrontUnderTest({
      answer: ({ http }) => (http === 'GET' ? later<undefined>().promise : undefined),
    });
    const session = await gateway.initialize('/web/mcp');
    await gateway.fetch('GET', '/web/mcp', undefined, { session });
    await until('it was asked for', () => gateway.methods().includes('GET'));
    const answer = gateway.post('/web/mcp', call('x'), { session });
    const other = gateway.post('/web/mcp', call('y', 2));
    assert.equal((await other).status, 200);
    const sent = () => gateway.seen.filter((it) => it.params?.['name'] === 'x').length;
    assert.equal(sent(), 0);
    gateway.timers.pass(500);
    await answer;
    assert.equal(sent(), 1);
    assert.equal(gateway.timers.count(500), 0);
  });

  it('that a server refuses is none, and calls go on at once', async () => {
    const gateway = mcpFrontUnderTest();
    const session = await gateway.initialize('/web/mcp');
    const stream = readStream(await gateway.fetch('GET', '/web/mcp', undefined, { session }));
    await until('it was asked for', () => gateway.methods().includes('GET'));
    await gateway.post('/web/mcp', call('x'), { session });
    gateway.front.listsChanged();
    assert.equal((await stream.message())?.method, 'notifications/tools/list_changed');
    assert.equal(gateway.timers.count(500), 0);
  });

  it('that its reader leaves is let go, and keeps neither the session nor a timer', async () => {
    const { gateway, lives, listen } = streaming();
    const session = await gateway.initialize('/web/mcp');
    const stream = await listen('/web/mcp', session);
    await until('it was asked for', () => lives.length === 1);
    lives[0]?.write(note('one'));
    assert.equal(dataOf(await stream.message()), 'one');
    gateway.clock.pass(30 * 60_000 + 1);
    await gateway.front.sweep();
    assert.equal(gateway.front.sessionCount, 1);
    await stream.leave();
    await until('its server is let go', () => gateway.open() === 0);
    assert.equal(gateway.timers.count(15_000), 0);
    await gateway.front.sweep();
    assert.equal(gateway.front.sessionCount, 0);
    assert.doesNotMatch(gateway.logLines.join(), /A server stream ended/);
  });

  it('ends with its session, and with the gateway', async () => {
    for (const end of ['session', 'gateway'] as const) {
      const { gateway, lives, listen } = streaming();
      const session = await gateway.initialize('/web/mcp');
      const stream = await listen('/web/mcp', session);
      await until('it was asked for', () => lives.length === 1);
      if (end === 'gateway') gateway.front.endStreams();
      else await gateway.fetch('DELETE', '/web/mcp', undefined, { session });
      assert.equal(await stream.message(), undefined);
      assert.equal(gateway.front.sessionCount, end === 'gateway' ? 1 : 0);
      await until('its server is let go', () => gateway.open() === 0);
    }
  });

  it('of a reader that does not read is broken off, and not kept in memory', async () => {
    const { gateway, lives, listen } = streaming({ options: { maxResponseBytes: 1_000 } });
    const session = await gateway.initialize('/web/mcp');
    const stream = await listen('/web/mcp', session);
    await until('it was asked for', () => lives.length === 1);
    for (let n = 0; n < 5; n += 1) lives[0]?.write(note('x'.repeat(300)));
    lives[0]?.end();
    await until('all of it came', () => /A server stream ended/.test(gateway.logLines.join()));
    await assert.rejects(async () => {
      while ((await stream.message()) !== undefined);
    }, /is reading too slowly/);
  });

  it('brings no notice of what its caller has not', async () => {
    const { gateway, lives, listen } = streaming({
      more: { visible: () => [{ server: partial, allows: () => true, isWhole: false }] },
    });
    const session = await gateway.initialize('/web/mcp');
    const stream = await listen('/web/mcp', session);
    await until('it was asked for', () => lives.length === 1);
    lives[0]?.write({ method: 'notifications/resources/list_changed' });
    lives[0]?.write({ method: 'notifications/prompts/list_changed' });
    lives[0]?.write({ method: 'notifications/tools/list_changed' });
    assert.equal((await stream.message())?.method, 'notifications/tools/list_changed');
  });
});

const partial = { server_id: 'id-web', alias: 'web', transport: 'http', url: 'http://web/mcp' } as const;
