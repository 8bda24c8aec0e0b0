import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpConnection } from '../../sidecar/gateway/backends/mcp/httpConnection.ts';
import { PipeConnection } from '../../sidecar/gateway/backends/mcp/pipeConnection.ts';
import { ssePipe } from '../../sidecar/gateway/backends/mcp/ssePipe.ts';
import { stdioPipe } from '../../sidecar/gateway/backends/mcp/stdioPipe.ts';
import type { McpTarget } from '../../sidecar/gateway/backends/mcp/types.ts';
import { openChildren } from '../../sidecar/platform/children/children.ts';
import { agentEnvironment } from '../../sidecar/platform/children/environment.ts';
import { systemClock } from '../../sidecar/platform/clock.ts';
import { newId } from '../../sidecar/platform/ids.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { projectRoot } from '../support/cache.ts';
import { httpFixture } from '../support/mcp/httpFixture.ts';
import { openHttpPool } from '../support/mcp/httpPool.ts';
import { sseFixture } from '../support/mcp/sseFixture.ts';
import { mcpBackendContract } from './mcpBackend.ts';

const timers = systemTimers;
const targetOf = (more: Partial<McpTarget>): McpTarget => ({
  server_id: 'fixture',
  name: 'fixture',
  transport: 'http',
  timeoutMs: 20_000,
  maxResponseBytes: 1_000_000,
  ...more,
});

mcpBackendContract('streamable HTTP', async (options) => {
  const fixture = await httpFixture();
  const pool = openHttpPool();
  const target = targetOf({ url: fixture.url });
  const connection = new HttpConnection({ target, era: 'legacy', isShared: options.isShared, timers, newId });
  const outbound = { identity: 'me', send: pool.send };
  const close = async () => {
    await connection.close();
    await fixture.close();
    await pool.close();
  };
  return { connection, target, outbound, close };
});

mcpBackendContract('the older SSE transport', async (options) => {
  const fixture = await sseFixture();
  const pool = openHttpPool();
  const target = targetOf({ transport: 'sse', url: fixture.url });
  const outbound = { identity: 'me', send: pool.send };
  const { isShared } = options;
  const pipe = ssePipe(target, outbound, timers);
  const connection = await PipeConnection.open({ target, era: 'legacy', isShared, timers, newId, outbound, pipe });
  const close = async () => {
    await connection.close();
    await fixture.close();
    await pool.close();
  };
  return { connection, target, outbound, close };
});

mcpBackendContract('stdio', async (options) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-mcp-'));
  const children = openChildren(join(folder, 'children.json'), systemClock.now);
  const args = [join(projectRoot, 'test', 'support', 'mcp', 'stdioFixture.child.ts')];
  const target = targetOf({ transport: 'stdio', command: process.execPath, args });
  const outbound = { identity: 'me', send: () => Promise.reject(new Error('stdio sends nothing over HTTP')) };
  const env = agentEnvironment(process.env, []);
  const pipe = stdioPipe({ target, children, command: process.execPath, env });
  const { isShared } = options;
  const connection = await PipeConnection.open({ target, era: 'legacy', isShared, timers, newId, outbound, pipe });
  const close = async () => {
    await connection.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { connection, target, outbound, close };
});
