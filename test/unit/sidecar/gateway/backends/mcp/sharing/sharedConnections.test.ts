import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { ConnectionsDeps, McpConnections } from '../../../../../../../sidecar/gateway/backends/mcp/connections.ts';
import type { ConnectionKey } from '../../../../../../../sidecar/gateway/backends/mcp/opening/openConnection.ts';
import type { Share } from '../../../../../../../sidecar/gateway/backends/mcp/sharing/share.ts';
import type { Outbound } from '../../../../../../../sidecar/gateway/backends/mcp/types.ts';
import { connectionsOf, type FakeChildren, fakeChildren } from '../../../../../../support/mcp/fakeChildren.ts';
import { until } from '../../../../../../support/until.ts';
import { verifies } from '../../../../../../support/verifies.ts';

const second = 1_000;
const minute = 60 * second;
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const base = { name: 'a', timeoutMs: 10_000, maxResponseBytes: 10_000 };
const outbound: Outbound = {
  identity: 'me',
  send: () => Promise.reject(new Error('programs are not reached by HTTP')),
};
const options = { outbound, signal: new AbortController().signal };

describe('connections of sessions that share a process', () => {
  let programs: FakeChildren;
  let nowMs: number;
  let connections: McpConnections;

  const open = (more: Partial<ConnectionsDeps> = {}) => connectionsOf(programs, () => nowMs, more);
  beforeEach(() => {
    programs = fakeChildren();
    nowMs = 0;
    connections = open();
  });

  const program = (server_id: string, more: Partial<ConnectionKey> = {}): ConnectionKey => ({
    target: { ...base, server_id, transport: 'stdio', command: process.execPath },
    era: 'legacy',
    outbound,
    session: undefined,
    ...more,
  });
  const acquire = (key: ConnectionKey) =>
    connections.acquire(key, () => ({ introduction: { params, isShared: true }, announces: false }));
  const newest = () => {
    const child = programs.started.at(-1);
    assert.ok(child);
    return child;
  };
  const share: Share = { group: 'g', caller: 'k', isDefault: true, isForAll: false };
  const shared = (session: string | undefined, more: Partial<Share> = {}) =>
    program('1', { session, share: { ...share, ...more } });

  it('are opened once for each group, shake hands once, and stay open when a session ends', async () => {
    verifies('gateway.stdio.share');
    const [one, two] = [await acquire(shared('1')), await acquire(shared('2'))];
    assert.notEqual(one, two);
    assert.equal(connections.use(shared('1')), one);
    assert.equal(connections.peek(shared('3')), undefined);
    assert.ok((await acquire(shared(undefined))).hello);
    await acquire(shared('1', { group: 'h' }));
    assert.equal(programs.started.length, 2);
    const [first] = programs.started;
    const methods = first?.lines.map((it) => (JSON.parse(it) as { method: string }).method);
    assert.deepEqual(methods, ['initialize', 'notifications/initialized']);
    await connections.endSession('1');
    assert.deepEqual([one.isClosed, two.isClosed, first?.isStopped], [true, false, false]);
    await connections.discard(shared('2'), two);
    assert.equal(first?.isStopped, false);
    await connections.endServer('1');
    assert.deepEqual([first?.isStopped, connections.count], [true, 0]);
  });

  it('are not shared by new sessions once the server asked a client, unless sharing is configured', async () => {
    verifies('gateway.stdio.share');
    const one = await acquire(shared('1'));
    newest().print({ id: 1, method: 'roots/list' });
    const events = await one.listen(undefined, options);
    for await (const { message } of events ?? []) {
      assert.equal(message?.kind, 'request');
      break;
    }
    await acquire(shared('2'));
    await acquire(shared('3'));
    await acquire(shared('1'));
    assert.equal(programs.started.length, 3);
    await connections.endSession('3');
    assert.deepEqual(
      programs.started.map((it) => it.isStopped),
      [false, false, true],
    );
    for (const session of ['1', '2']) await acquire(shared(session, { group: 'chosen', isDefault: false }));
    assert.equal(programs.started.length, 4);
    await connections.endServer('1'); // it changed: whether it asks is found out anew
    for (const session of ['4', '5']) await acquire(shared(session));
    assert.equal(programs.started.length, 5);
  });

  it('are not joined by a session that waited for them while the server asked a client', async () => {
    verifies('gateway.stdio.share.first-question');
    programs.answers = false;
    const both = [acquire(shared('1')), acquire(shared('2'))];
    await until('the program gets the handshake', () => programs.started.length === 1 && newest().lines.length === 1);
    const { id } = JSON.parse(newest().lines[0] ?? '') as { id: string };
    programs.answers = true;
    newest().print({ id, result: { protocolVersion: '2025-11-25', capabilities: {} } });
    newest().print({ id: 1, method: 'roots/list' });
    const [one, two] = await Promise.all(both);
    assert.notEqual(one, two);
    assert.equal(programs.started.length, 2);
  });

  it('make room at once if no session uses them, and otherwise after a minute', async () => {
    verifies('gateway.stdio.limits');
    connections = open({ maxChildren: 2 });
    await acquire(shared('1'));
    await acquire(shared('2', { group: 'h' }));
    await assert.rejects(
      acquire(program('2')),
      /^BackendFailure: Too many MCP servers are running \(2\)\..*max_processes\.$/,
    );
    await connections.endSession('2');
    await acquire(program('2'));
    assert.deepEqual(
      programs.started.map((it) => it.isStopped),
      [false, true, false],
    );
  });

  it('end after the configured idle time', async () => {
    verifies('gateway.stdio.limits');
    connections = open({ childIdleMs: 30 * second });
    const backend = await acquire(shared('1'));
    const stop = new AbortController();
    await backend.listen(undefined, { ...options, signal: stop.signal });
    nowMs += minute;
    await connections.sweep();
    assert.equal(newest().isStopped, false);
    stop.abort();
    nowMs += 31 * second;
    await connections.sweep();
    assert.equal(newest().isStopped, true);
  });
});
