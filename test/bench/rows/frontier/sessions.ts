import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_KEY, startGateway, withKey } from '../../gateway/benchGateway.ts';
import { benchConfig } from '../../gateway/callers.ts';
import { startChild } from '../../gateway/child.ts';
import { connect } from '../../gateway/mcpClient.ts';
import { residentMb } from '../../gateway/processFigures.ts';
import type { Target } from '../../gateway/target.ts';
import type { Row } from '../../measure.ts';

const SESSIONS = [100, 1_000, 8_000];
const AT_A_TIME = 32;
/** Until records are written and garbage was collected. */
const SETTLED_MS = 5_000;
/** Until a gateway that is idle has given memory back. */
const IDLE_MS = 60_000;

/** Sessions that are open at the same time, and what is left of them when they have ended. */
export async function gatewayFrontierSessions(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const gateway = await startGateway({ ...benchConfig(backend.url), limits: { sessions_per_caller: 10_000 } });
  try {
    const target: Target = {
      ...{ name: 'sessions', url: `${gateway.url}/bench/mcp`, road: 'streamable', tool: 'echo' },
      headers: withKey(ADMIN_KEY),
    };
    await (await connect(target)).call();
    await wait(SETTLED_MS);
    const idle = residentMb(gateway.pid);
    const rows: Row[] = [];
    for (const count of SESSIONS) {
      const before = residentMb(gateway.pid);
      const failures = await openSessions(target, count);
      rows.push({
        name: `failures of ${count} sessions`,
        value: failures,
        limit: 0,
        unit: 'calls',
        detail: `each with a handshake and a call; ${before.toFixed(0)} MB before, ${residentMb(gateway.pid).toFixed(0)} MB after`,
      });
    }
    await wait(IDLE_MS);
    const after = residentMb(gateway.pid);
    const detail = `a minute later: ${after.toFixed(0)} MB against ${idle.toFixed(0)} MB`;
    return [
      ...rows,
      {
        name: 'memory after all sessions have ended, against idle',
        value: after / idle,
        limit: 1.1,
        unit: 'ratio',
        detail,
      },
    ];
  } finally {
    await gateway.close();
    await backend.close();
  }
}

/** Opens all of them, and then ends all of them. @returns how many failed */
async function openSessions({ url, headers }: Target, count: number): Promise<number> {
  let failures = 0;
  const ids: string[] = [];
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        ...more,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const version = { 'mcp-protocol-version': params.protocolVersion };
  await inParallel(count, async () => {
    const opened = await post({ id: 1, method: 'initialize', params });
    await opened.arrayBuffer();
    const session = opened.headers.get('mcp-session-id');
    if (opened.status !== 200 || session === null) return void (failures += 1);
    ids.push(session);
    const own = { ...version, 'mcp-session-id': session };
    await (await post({ method: 'notifications/initialized' }, own)).arrayBuffer();
    const called = await post({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: {} } }, own);
    if (called.status !== 200 || !(await called.text()).includes('"result"')) failures += 1;
  });
  await inParallel(ids.length, async () => {
    const ended = await fetch(url, {
      method: 'DELETE',
      headers: { ...headers, ...version, 'mcp-session-id': ids.pop() ?? '' },
    });
    await ended.arrayBuffer();
  });
  return failures;
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while ((left -= 1) >= 0) await work();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
