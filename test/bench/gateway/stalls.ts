import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { FLUSH_RECORDS } from '../../../sidecar/gateway/activity/flushQueue.ts';
import { openStore } from '../../../sidecar/gateway/storage/store.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { linesOf } from '../../support/gateway/activityLines.ts';
import { median, RUNS } from '../measure.ts';
import { seededKey } from './seedActivity.ts';

export interface Stall {
  /** How long the thread that serves calls did nothing else at most. Milliseconds. */
  readonly longestMs: number;
  readonly tookMs: number;
}

/** What the thread of the store's user is held up by a batch of records, and by words that are looked for in all lines. */
export async function storeStalls(dataDir: string): Promise<{ readonly flush: Stall; readonly search: Stall }> {
  const address = { kind: 'sqlite', file: join(dataDir, 'gateway.db') } as const;
  const store = await openStore({ address, clock: systemClock, secret: randomBytes(32), holder: 'bench' });
  const writer = randomUUID();
  let seq = 0;
  const flush = () => {
    seq += 1;
    const logs = Array.from({ length: FLUSH_RECORDS }, (_, at) => line(at));
    return { writer, seq, atMs: Date.now(), ...linesOf(logs), spendings: [], used: [] };
  };
  try {
    const flushes: Stall[] = [];
    const searches: Stall[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      const batch = flush();
      flushes.push(await stallOf(() => store.activityWrites.write(batch)));
      searches.push(await stallOf(() => store.spendLogs.page(SpendLogsQuery.parse({ search: 'tool-3' }))));
    }
    return { flush: middle(flushes.slice(1)), search: middle(searches.slice(1)) };
  } finally {
    await store.close();
  }
}

const middle = (all: readonly Stall[]): Stall => ({
  longestMs: median(all.map((it) => it.longestMs)),
  tookMs: median(all.map((it) => it.tookMs)),
});

async function stallOf(work: () => Promise<unknown>): Promise<Stall> {
  let longestMs = 0;
  let isOver = false;
  let last = performance.now();
  const turn = () => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const started = performance.now();
  await work();
  const tookMs = performance.now() - started;
  turn();
  isOver = true;
  return { longestMs, tookMs };
}

function line(at: number): SpendLog {
  const now = systemClock.now();
  return {
    request_id: randomUUID(),
    call_type: 'mcp:tools/call',
    endpoint: '/{server}/mcp',
    api_key: seededKey(at % 200),
    spend: 0.001,
    prompt_tokens: 0,
    completion_tokens: 0,
    total_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    startTime: now,
    endTime: now,
    completionStartTime: null,
    request_duration_ms: 12,
    model: `MCP: tool-${at % 10}`,
    custom_llm_provider: null,
    api_base: null,
    user: `user-${at % 100}`,
    team_id: `team-${at % 20}`,
    organization_id: 'org',
    end_user: `customer-${at}`,
    agent_id: null,
    session_id: `session-${at}`,
    trace_id: null,
    model_group: null,
    mcp_namespaced_tool_name: `bench/tool-${at % 10}`,
    request_tags: [],
    requester_ip_address: '127.0.0.1',
    status: 'success',
    error: null,
    error_code: null,
    metadata: {},
  };
}
