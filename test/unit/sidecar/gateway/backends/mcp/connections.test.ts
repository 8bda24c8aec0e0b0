import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, it } from 'mocha';
import type { ConnectionsDeps, McpConnections } from '../../../../../../sidecar/gateway/backends/mcp/connections.ts';
import type { ConnectionKey, Opening } from '../../../../../../sidecar/gateway/backends/mcp/opening/openConnection.ts';
import type { Outbound } from '../../../../../../sidecar/gateway/backends/mcp/types.ts';
import type { RpcRequest } from '../../../../../../sidecar/protocol/gateway/mcpWire.ts';
import { connectionsOf, type FakeChildren, fakeChildren } from '../../../../../support/mcp/fakeChildren.ts';
import { afterHandshake, scriptedSend } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

const second = 1_000;
const minute = 60 * second;
const legacyParams = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

describe('connections that are kept', () => {
  let programs: FakeChildren;
  let nowMs: number;
  let connections: McpConnections;

  const open = (more: Partial<ConnectionsDeps> = {}) => connectionsOf(programs, () => nowMs, more);
  beforeEach(() => {
    programs = fakeChildren();
    nowMs = 0;
    connections = open();
  });

  const base = { name: 'a', timeoutMs: 10_000, maxResponseBytes: 10_000 };
  const noWay: Outbound = { identity: 'me', send: () => Promise.reject(new Error('programs are not reached by HTTP')) };
  const program = (server_id = '1', more: Partial<ConnectionKey> = {}): ConnectionKey => ({
    target: { ...base, server_id, transport: 'stdio', command: process.execPath },
    era: 'legacy',
    outbound: noWay,
    session: undefined,
    ...more,
  });
  const web = (outbound: Outbound, more: Partial<ConnectionKey> = {}): ConnectionKey => ({
    target: { ...base, server_id: 'web', transport: 'http', url: 'http://web/mcp' },
    era: 'legacy',
    outbound,
    session: undefined,
    ...more,
  });
  const opening: Opening = { introduction: { params: legacyParams, isShared: true }, announces: true };
  const acquire = (key: ConnectionKey, more: Partial<Opening> = {}) =>
    connections.acquire(key, () => ({ ...opening, ...more }));
  const call: RpcRequest = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't' } };
  const options = { outbound: noWay, signal: new AbortController().signal };
  const newest = () => {
    const child = programs.started.at(-1);
    assert.ok(child);
    return child;
  };

  it('that were lost are let go once, however many callers lost them', async () => {
    const lost = await acquire(program());
    await connections.discard(program(), lost);
    assert.equal(newest().isStopped, true);
    const opened = acquire(program());
    await connections.discard(program(), lost); // a second caller of the lost one, while the first opens another
    const found = await opened;
    await connections.discard(program(), lost); // and a third
    assert.equal(found.isClosed, false);
    assert.equal(await acquire(program()), found);
    assert.equal(programs.started.length, 2);
  });

  it('lead where the call that uses them was meant for: a server that moved has another one (secret of another origin)', async () => {
    verifies('security.secret-of-another-origin');
    const asked: string[] = [];
    const noAnswer = (request: { readonly url: string }) => {
      asked.push(request.url);
      return Promise.reject(new Error('nobody is there'));
    };
    for (const url of ['http://web/mcp', 'http://other/mcp', 'http://web/mcp']) {
      const outbound: Outbound = { identity: 'me', send: noAnswer };
      const key = web(outbound, { era: 'modern', target: { ...web(outbound).target, url } });
      await assert.rejects((await acquire(key)).request(call, { ...options, outbound }));
    }
    assert.deepEqual(asked, ['http://web/mcp', 'http://other/mcp', 'http://web/mcp']);
  });

  it('over HTTP keep nothing of the call that opened them when another call has used them', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const called = async () => {
      const outbound: Outbound = { identity: 'me', send: () => Promise.reject(new Error('nobody is there')) };
      const backend = await acquire(web(outbound, { era: 'modern' }));
      await assert.rejects(backend.request(call, { ...options, outbound }));
      return { backend, outbound: new WeakRef(outbound) };
    };
    const first = await called();
    const second = await called();
    assert.equal(first.backend, second.backend);
    const isCollected = async () => {
      await soon();
      collect();
      return first.outbound.deref() === undefined;
    };
    await until('what the first call had is collected', isCollected, { limitMs: 3_000 });
    assert.ok(second.outbound.deref(), 'the newest is kept');
  });

  it('are not idle while somebody waits for an answer or listens, however long', async () => {
    const work: readonly ((backend: Awaited<ReturnType<typeof acquire>>, signal: AbortSignal) => Promise<unknown>)[] = [
      (backend, signal) => backend.request(call, { ...options, signal, isOpenEnded: true }),
      async (backend, signal) => {
        for await (const _ of (await backend.listen(undefined, { ...options, signal })) ?? []);
      },
    ];
    for (const it of work) {
      const backend = await acquire(program());
      const stop = new AbortController();
      const running = it(backend, stop.signal).catch(() => undefined);
      for (const _ of [1, 2, 3]) {
        nowMs += 5 * minute;
        await connections.sweep();
      }
      assert.equal(newest().isStopped, false);
      stop.abort();
      await running;
      nowMs += 5 * minute;
      await connections.sweep();
      assert.equal(newest().isStopped, false, 'idle since the last look');
      nowMs += 1;
      await connections.sweep();
      assert.equal(newest().isStopped, true);
    }
  });

  it('over HTTP are not idle either while a call, its stream or a listener goes on', async () => {
    const server = scriptedSend(
      afterHandshake((_message, request) =>
        request.method === 'GET' ? { headers: { 'content-type': 'text/event-stream' }, hangs: true } : undefined,
      ),
    );
    const key = web(server.outbound);
    const backend = await acquire(key);
    for (const kind of ['request', 'listen'] as const) {
      const stop = new AbortController();
      const more = { outbound: server.outbound, signal: stop.signal, isOpenEnded: true };
      const running =
        kind === 'request'
          ? backend.request(call, more)
          : backend.listen(undefined, more).then(async (stream) => {
              for await (const _ of stream ?? []);
            });
      await until('it is under way', () => backend.isBusy);
      nowMs += 31 * minute;
      await connections.sweep();
      assert.equal(connections.peek(key), backend, kind);
      stop.abort();
      await running.catch(() => undefined);
      assert.equal(backend.isBusy, false);
    }
    nowMs += 31 * minute;
    await connections.sweep();
    assert.equal(server.sent.at(-1)?.method, 'DELETE');
  });

  it('keep nobody waiting whose program died: it makes room, and the other servers start as ever', async () => {
    connections = open({ maxChildren: 1 });
    await acquire(program('1'));
    newest().exit();
    await until('its end was seen', () => connections.peek(program('1')) === undefined);
    await acquire(program('2'));
    assert.deepEqual([programs.started.length, connections.isOpen('1'), connections.isOpen('2')], [2, false, true]);
  });

  it('to a program that is busy make no room for another, those that are idle do', async () => {
    connections = open({ maxChildren: 2 });
    const busy = await acquire(program('1'));
    const stop = new AbortController();
    const running = busy.request(call, { ...options, signal: stop.signal, isOpenEnded: true });
    nowMs += second;
    await acquire(program('2'));
    nowMs += minute;
    await acquire(program('3'));
    const stopped = () => programs.started.map((it) => it.isStopped);
    await until('one made room', () => stopped().includes(true));
    assert.deepEqual(stopped(), [false, true, false]);
    await assert.rejects(acquire(program('4')), { kind: 'unreachable', mayHaveRun: false });
    stop.abort();
    await assert.rejects(running, { kind: 'cancelled' });
  });

  it('wait longer each time a program dies young, up to half a minute, and start at once after it lived', async () => {
    let waits = 0;
    for (const waitMs of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      await acquire(program());
      newest().exit();
      await until('its end was seen', () => connections.peek(program()) === undefined);
      nowMs += 9_999;
      const words = waits === 0 ? 'once' : `${waits + 1} times`;
      await assert.rejects(acquire(program()), {
        message: `The MCP server 'a' exited ${words}. It will restart soon. Try again later.`,
      });
      nowMs += waitMs - 1;
      await assert.rejects(acquire(program()), { kind: 'unreachable', mayHaveRun: false });
      nowMs += 1;
      waits += 1;
    }
    assert.equal(programs.started.length, waits);
    await acquire(program());
    newest().exit();
    await until('its end was seen', () => connections.peek(program()) === undefined);
    nowMs += 10 * second;
    await acquire(program());
    assert.equal(programs.started.length, waits + 2);
  });

  it('start a changed server at once, and leave others that died alone', async () => {
    for (const id of ['1', '10']) {
      await acquire(program(id));
      newest().exit();
      await until('its end was seen', () => connections.peek(program(id)) === undefined);
      await assert.rejects(acquire(program(id)), { kind: 'unreachable' });
    }
    await connections.endServer('1');
    assert.ok(await acquire(program('1')));
    await assert.rejects(acquire(program('10')), { kind: 'unreachable' });
  });

  it('that may not be started start as soon as they may', async () => {
    const key = program();
    const forbidden = { ...key, target: { ...key.target, command: '/bin/sh' } };
    for (const _ of [1, 2]) await assert.rejects(acquire(forbidden), { kind: 'not_allowed' });
    assert.ok(await acquire(key));
  });

  it('to a program that does not start wait too, and everybody who waited for it learns why', async () => {
    programs.refuse = new Error('no such program');
    const opened = [acquire(program()), acquire(program())];
    for (const it of opened) await assert.rejects(it, { message: "The MCP server 'a' could not be started." });
    programs.refuse = undefined;
    await assert.rejects(acquire(program()), {
      message: "The MCP server 'a' exited once. It will restart soon. Try again later.",
    });
    nowMs += 500;
    const [first, second] = await Promise.all([acquire(program()), acquire(program())]);
    assert.equal(first, second);
    assert.equal(programs.started.length, 1);
  });

  it('are idle from their last use on', async () => {
    await acquire(program());
    nowMs += 5 * minute;
    await acquire(program());
    nowMs += 5 * minute;
    await connections.sweep();
    assert.equal(newest().isStopped, false);
    nowMs += 1;
    await connections.sweep();
    assert.equal(newest().isStopped, true);
  });

  it('of a changed server are closed, those of others stay', async () => {
    for (const id of ['1', '2']) await acquire(program(id));
    await connections.endServer('2');
    assert.deepEqual(
      programs.started.map((it) => it.isStopped),
      [false, true],
    );
  });

  it('over HTTP are no programs: they wait for nothing after a failure, and take and make no room', async () => {
    connections = open({ maxChildren: 1 });
    let refuse: Error | undefined = new Error('reset');
    const script = afterHandshake(() => undefined);
    const server = scriptedSend((request) => refuse ?? script(request));
    await assert.rejects(acquire(web(server.outbound)), { kind: 'ended' });
    refuse = undefined;
    await acquire(web(server.outbound));
    await acquire(program());
    nowMs += 2 * minute;
    await acquire(web(server.outbound, { session: 's' }));
    assert.deepEqual([connections.count, newest().isStopped], [3, false]);
  });

  it('of the newer era shake no hands', async () => {
    const server = scriptedSend(() => undefined);
    const found = await acquire(web(server.outbound, { era: 'modern' }));
    assert.deepEqual([found.era, found.hello, server.sent.length], ['modern', undefined, 0]);
  });

  it('that are ended while they open are closed as soon as they are open', async () => {
    programs.answers = false;
    const key = program('1', { session: 's' });
    const opened = acquire(key);
    await until('it was started', () => newest().lines.length === 1);
    const ended = connections.endSession('s');
    const { id } = JSON.parse(newest().lines[0] ?? '') as { id: string };
    newest().print({ id, result: { protocolVersion: '2025-11-25', capabilities: {} } });
    await ended;
    assert.equal((await opened).isClosed, true);
    assert.deepEqual([newest().isStopped, connections.count], [true, 0]);
  });

  it('that fail to shake hands leave nothing behind', async () => {
    programs.answers = false;
    const opened = acquire(program());
    await until('it was started', () => newest().lines.length === 1);
    const { id } = JSON.parse(newest().lines[0] ?? '') as { id: string };
    newest().print({ id, error: { code: -32000, message: 'no' } });
    await assert.rejects(opened, { name: 'HandshakeRefused' });
    assert.deepEqual([newest().isStopped, connections.count], [true, 0]);
  });

  it('that refuse the handshake and do not speak the modern era leave nothing behind', async () => {
    programs.answers = false;
    const opened = acquire(program());
    const refuse = async (count: number) => {
      await until('it was started', () => programs.started.length === count && newest().lines.length === 1);
      const { id } = JSON.parse(newest().lines[0] ?? '') as { id: string };
      newest().print({ id, error: { code: -32601, message: 'no' } });
    };
    await refuse(1);
    await refuse(2);
    await assert.rejects(opened, { name: 'HandshakeRefused' });
    assert.deepEqual([newest().isStopped, connections.count], [true, 0]);
  });

  const ends: readonly [says: string, end: (it: McpConnections) => Promise<void>, session: boolean, left: number][] = [
    ['a session that ends', (it) => it.endSession('s'), true, 1],
    ['a session that goes on at another replica', (it) => it.endSession('s', true), true, 0],
    ['the end of the process', (it) => it.closeAll(), true, 0],
    ['the end of the process, shared by callers without a session', (it) => it.closeAll(), false, 1],
  ];
  for (const [says, end, hasSession, deletes] of ends)
    it(`end ${deletes === 0 ? 'no session' : 'the session'} of a server with ${says}`, async () => {
      const server = scriptedSend(afterHandshake(() => undefined));
      await acquire(web(server.outbound, { session: hasSession ? 's' : undefined }));
      await end(connections);
      assert.equal(server.sent.filter((it) => it.method === 'DELETE').length, deletes);
      assert.equal(connections.count, 0);
    });

  it('keep the sessions of servers when they are idle and there are other replicas', async () => {
    for (const hasOthers of [true, false]) {
      connections = open({ hasOthers });
      const server = scriptedSend(afterHandshake(() => undefined));
      await acquire(web(server.outbound, { session: 's' }));
      nowMs += 30 * minute;
      await connections.sweep();
      assert.equal(connections.count, 1);
      nowMs += 1;
      await connections.sweep();
      assert.deepEqual([connections.count, server.sent.some((it) => it.method === 'DELETE')], [0, !hasOthers]);
    }
  });

  it('go on with a session of before without a handshake, and without an announcement where the client makes it', async () => {
    const server = scriptedSend(afterHandshake(() => undefined));
    const hello = { protocolVersion: '2025-06-18', capabilities: {} };
    const resumed = await acquire(web(server.outbound, { session: 'a' }), { resumed: { hello, sessionId: 'before' } });
    assert.deepEqual([resumed.sessionId, resumed.hello, server.sent.length], ['before', hello, 0]);
    await acquire(web(server.outbound, { session: 'b' }), { announces: false });
    await acquire(web(server.outbound, { session: 'c' }));
    const methods = server.messages().map((it) => it['method']);
    assert.deepEqual(methods, ['initialize', 'initialize', 'notifications/initialized']);
  });
});
