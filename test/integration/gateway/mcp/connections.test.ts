import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { nobody } from '../../../../sidecar/gateway/backends/mcp/bridge/discovery.ts';
import { McpConnections } from '../../../../sidecar/gateway/backends/mcp/connections.ts';
import type { ConnectionKey } from '../../../../sidecar/gateway/backends/mcp/opening/openConnection.ts';
import { type Children, openChildren } from '../../../../sidecar/platform/children/children.ts';
import { systemClock } from '../../../../sidecar/platform/clock.ts';
import { newId } from '../../../../sidecar/platform/ids.ts';
import { systemTimers } from '../../../../sidecar/platform/timers.ts';
import { projectRoot } from '../../../support/cache.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { type HttpPool, openHttpPool } from '../../../support/mcp/httpPool.ts';

const minute = 60_000;

describe('connections to MCP servers', () => {
  let fixture: HttpFixture;
  let pool: HttpPool;
  let children: Children;
  let folder: string;
  let nowMs: number;
  let connections: McpConnections;

  beforeEach(async () => {
    fixture = await httpFixture();
    pool = openHttpPool();
    folder = mkdtempSync(join(tmpdir(), 'switchboard-connections-'));
    children = openChildren(join(folder, 'children.json'), systemClock.now);
    nowMs = 0;
    connections = new McpConnections({
      children,
      stdio: { isTrusted: true, allowedCommands: [process.execPath], env: process.env },
      clock: { ...systemClock, monotonicMs: () => nowMs },
      timers: systemTimers,
      newId,
      maxChildren: 2,
    });
  });
  afterEach(async () => {
    await connections.closeAll();
    await children.stopAll();
    await fixture.close();
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const base = { name: 'a', timeoutMs: 10_000, maxResponseBytes: 1_000_000 };
  function keyOf(more: { identity?: string; session?: string; server?: string } = {}): ConnectionKey {
    const { identity = 'me', session, server = 'web' } = more;
    const target = { ...base, server_id: server, transport: 'http', url: fixture.url } as const;
    return { target, era: 'legacy', outbound: { identity, send: pool.send }, session };
  }
  function program(server: string): ConnectionKey {
    const args = [join(projectRoot, 'test', 'support', 'mcp', 'stdioFixture.child.ts')];
    const target = { ...base, server_id: server, transport: 'stdio', command: process.execPath, args } as const;
    return { ...keyOf(), target };
  }
  const acquire = (key: ConnectionKey) =>
    connections.acquire(key, () => ({
      introduction: { params: { ...nobody.params, protocolVersion: '2025-11-25' }, isShared: true },
      announces: true,
    }));
  const handshakes = () => fixture.seen.filter((it) => it.method === 'initialize').length;

  it('are opened once, also when several callers want one at the same time', async () => {
    const [a, b] = await Promise.all([acquire(keyOf()), acquire(keyOf())]);
    assert.equal(a, b);
    assert.equal(await acquire(keyOf()), a);
    assert.equal(handshakes(), 1);
  });

  it('are never shared by two identities, sessions or servers', async () => {
    const keys = [keyOf(), keyOf({ identity: 'you' }), keyOf({ session: 's' }), keyOf({ server: 'other' })];
    const opened = await Promise.all(keys.map(acquire));
    assert.equal(new Set(opened).size, keys.length);
    assert.equal(handshakes(), keys.length);
  });

  it('end when nobody used them for half an hour, programs after ten minutes', async () => {
    await acquire(keyOf());
    await acquire(program('local'));
    nowMs = 10 * minute + 1;
    await connections.sweep();
    assert.equal(connections.count, 1);
    assert.deepEqual(children.list(), []);
    nowMs = 30 * minute + 1;
    await connections.sweep();
    assert.equal(connections.count, 0);
    assert.ok(fixture.seen.some((it) => it.httpMethod === 'DELETE'));
  });

  it('of an ended session and of a changed server are let go, and no others', async () => {
    await Promise.all([keyOf(), keyOf({ session: 's' }), keyOf({ server: 'other' })].map(acquire));
    await connections.endSession('s');
    assert.equal(connections.count, 2);
    await connections.endServer('other');
    assert.equal(connections.count, 1);
    assert.ok(connections.peek(keyOf()));
  });

  it('to programs are limited: one that is idle makes room, one in use does not', async () => {
    await acquire(program('1'));
    await acquire(program('2'));
    await assert.rejects(acquire(program('3')), { kind: 'unreachable', mayHaveRun: false });
    nowMs = minute + 1;
    await acquire(program('2'));
    await acquire(program('3'));
    assert.equal(connections.peek(program('1')), undefined);
    assert.ok(connections.peek(program('2')));
  });

  it('that failed to open are opened anew by the next caller', async () => {
    const url = fixture.url;
    const gone = keyOf();
    const broken: ConnectionKey = { ...gone, target: { ...gone.target, url: 'http://127.0.0.1:9/mcp' } };
    await assert.rejects(acquire(broken), { kind: 'unreachable' });
    assert.equal(connections.count, 0);
    assert.ok(await acquire({ ...gone, target: { ...gone.target, url } }));
  });
});
