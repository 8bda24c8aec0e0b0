import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_KEY, startGateway, withKey } from '../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../gateway/callers.ts';
import { type Child, startChild } from '../gateway/child.ts';
import { connect } from '../gateway/mcpClient.ts';
import { residentMb } from '../gateway/processFigures.ts';
import type { CallFigures, CallsOrder, Target } from '../gateway/target.ts';
import { median, type Row, RUNS } from '../measure.ts';

const CALLS = 3_000;
const CONCURRENCIES = [1, 2, 4, 8, 16, 32, 64, 128];
const BOUNDS_MS = [5, 10, 50];
const SERVERS = 60;
const DEAD = 3;
const SESSIONS = [100, 1_000, 8_000];
const AT_A_TIME = 32;
/** Until records are written and garbage was collected. */
const SETTLED_MS = 5_000;

/** How far one process of the gateway goes: calls a second, and servers behind it. */
export async function gatewayFrontier(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const client = await startChild('client');
  try {
    return [...(await throughputRows(backend, client)), ...(await listRows(backend))];
  } finally {
    await client.close();
    await backend.close();
  }
}

/** The most calls a second whose p99 stays below a bound. A call that fails ends the run. */
async function throughputRows(backend: Child, client: Child): Promise<readonly Row[]> {
  const gateway = await startGateway(benchConfig(backend.url));
  try {
    const target = (await callersOf(gateway)).find((it) => it.name.includes('key only'));
    if (!target) throw new Error('nobody calls with a key');
    const runs: (CallFigures & { readonly concurrency: number })[] = [];
    const run = (concurrency: number) =>
      client.ask<CallFigures>({ target, concurrency, calls: CALLS } satisfies CallsOrder);
    await run(16);
    for (const concurrency of CONCURRENCIES) runs.push({ ...(await run(concurrency)), concurrency });
    return BOUNDS_MS.map((bound) => {
      const best = runs.filter((it) => it.p99 <= bound).toSorted((a, b) => b.perSecond - a.perSecond)[0];
      const how = best ? `${best.concurrency} at a time, p99 ${best.p99.toFixed(2)} ms` : 'at no concurrency';
      return {
        name: `calls a second with p99 up to ${bound} ms`,
        value: best?.perSecond ?? 0,
        unit: 'calls',
        detail: `${how}; ${CONCURRENCIES.length * CALLS} calls without a failure; ${residentMb(gateway.pid).toFixed(0)} MB resident`,
      };
    });
  } finally {
    await gateway.close();
  }
}

/** Warm lists, by default and where the registration allows to keep them and says when a server counts as dead. */
async function listRows(backend: Child): Promise<readonly Row[]> {
  const kept = { list_cache_ttl_s: 600, circuit_breaker: { failures: 3, window_s: 60, open_s: 600 } };
  return [await listRow(backend, {}, ''), await listRow(backend, kept, ', whose lists are kept')];
}

/** A warm merged list of many servers, of which some are dead, against that of one. @param settings of each server */
async function listRow(backend: Child, settings: object, how: string): Promise<Row> {
  const serverAt = (url: string) => ({ url, allow_private_network: true, ...settings });
  const alive = Object.fromEntries(
    Array.from({ length: SERVERS - DEAD }, (_, n) => [`s${n}`, serverAt(`${backend.url}/mcp`)]),
  );
  // Nothing listens on these ports.
  const dead = Object.fromEntries(
    Array.from({ length: DEAD }, (_, n) => [`d${n}`, serverAt(`http://127.0.0.1:${n + 1}/mcp`)]),
  );
  const listMs = async (mcp_servers: object) => {
    const gateway = await startGateway({ mcp_servers });
    try {
      const took: number[] = [];
      for (let n = 0; n < 5 * RUNS; n += 1) {
        const started = performance.now();
        const response = await fetch(`${gateway.url}/mcp-rest/tools/list`, { headers: withKey(ADMIN_KEY) });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`the list was answered with ${response.status}`);
        if (n >= RUNS) took.push(performance.now() - started);
      }
      return median(took);
    } finally {
      await gateway.close();
    }
  };
  const [one, many] = [await listMs({ s0: serverAt(`${backend.url}/mcp`) }), await listMs({ ...alive, ...dead })];
  return {
    name: `warm list of ${SERVERS} servers${how}, ${DEAD} of them dead, against one server`,
    value: many / one,
    limit: 1.2,
    unit: 'ratio',
    detail: `${many.toFixed(2)} ms against ${one.toFixed(2)} ms`,
  };
}

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
    await wait(SETTLED_MS);
    const after = residentMb(gateway.pid);
    const detail = `${after.toFixed(0)} MB against ${idle.toFixed(0)} MB`;
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
