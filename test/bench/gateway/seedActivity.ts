import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DAY_MS } from '../../../sidecar/protocol/gateway/duration.ts';

export interface ActivityPlan {
  /** The first day, milliseconds. */
  readonly startMs: number;
  readonly days: number;
  /** Lines of one day; each is a call of its own. */
  readonly calls: number;
  readonly keys: number;
}

/** The hash of the key with this number. */
export const seededKey = (number: number): string => number.toString(16).padStart(64, '0');

/** How much of a day's calls differ in what sums tell apart: this many rows of sums a day. */
const SUMS = 2_000;

/** Writes calls of many days into the database of a gateway that does not run: lines, and their sums. */
export function seedActivity(dataDir: string, { startMs, days, calls, keys }: ActivityPlan): void {
  const db = new DatabaseSync(join(dataDir, 'gateway.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000');
  const lines = db.prepare(linesSql);
  const sums = db.prepare(sumsSql);
  const edge = db.prepare('insert into daily_edge values (?, ?, ?, ?)');
  for (let day = 0; day < days; day += 1) {
    const dayMs = startMs + day * DAY_MS;
    const date = new Date(dayMs).toISOString().slice(0, 10);
    db.exec('begin');
    lines.run({ first: day * calls, calls, dayMs, stepMs: DAY_MS / calls, keys });
    sums.run({ rows: SUMS, date, each: calls / SUMS, keys });
    edge.run(date, '/{server}/mcp', calls * 0.98, calls * 0.02);
    db.exec('commit');
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

/**
 * As `toRow` of the gateway's writes makes it, from a number: ids are in no order, as real ones. What is bound are real
 * numbers: whole ones have to be made of them.
 */
const linesSql = `
  with recursive plan(keys, till) as (select cast(:keys as integer), cast(:first + :calls as integer)),
  numbers(n) as (select cast(:first as integer) union all select n + 1 from numbers, plan where n + 1 < till),
  calls as (
    select n, printf('%08x-%08x', (n * 2654435761) % 4294967296, n) as id,
      cast(:dayMs + (n - :first) * :stepMs as integer) as at,
      printf('%064x', n % keys) as api_key, 'team-' || (n % keys % 20) as team, 'user-' || (n % keys % 100) as user,
      'tool-' || (n / keys % 10) as tool, iif(n % 50 = 0, 'failure', 'success') as status
    from numbers, plan)
  insert into spend_logs (request_id, started_ms, ended_ms, duration_ms, ttft_ms, endpoint, api_key, user_id, team_id,
    organization_id, end_user, agent_id, session_id, model, status, error, error_code, spend, total_tokens, body)
  select id, at, at + 12, 5 + n * 7919 % 10007 / 1000.0 * (1 + (n % 100 = 0) * 50), 10,
    '/{server}/mcp', api_key, user, team, 'org', 'customer-' || (n % 1000), null,
    'session-' || (n / 20), 'MCP: ' || tool, status, iif(n % 50 = 0, 'The server failed.', null), null, 0.001, 0,
    json_object('request_id', id, 'call_type', 'mcp:tools/call', 'endpoint', '/{server}/mcp', 'api_key', api_key,
      'spend', 0.001, 'prompt_tokens', 0, 'completion_tokens', 0, 'total_tokens', 0,
      'startTime', strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch'),
      'endTime', strftime('%Y-%m-%dT%H:%M:%fZ', (at + 12) / 1000.0, 'unixepoch'), 'completionStartTime', null,
      'request_duration_ms', 12, 'model', 'MCP: ' || tool, 'custom_llm_provider', null, 'api_base', null,
      'user', user, 'team_id', team, 'organization_id', 'org', 'end_user', 'customer-' || (n % 1000),
      'agent_id', null, 'session_id', 'session-' || (n / 20), 'trace_id', null,
      'mcp_namespaced_tool_name', 'bench/' || tool, 'request_tags', json_array(), 'requester_ip_address', '127.0.0.1',
      'status', status, 'error', iif(n % 50 = 0, 'The server failed.', null), 'error_code', null,
      'metadata', json_object())
  from calls`;

const sumsSql = `
  with recursive plan(keys, good, bad) as
    (select cast(:keys as integer), cast(:each * 0.98 as integer), cast(:each * 0.02 as integer)),
  numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < :rows)
  insert into daily_activity (id, date, endpoint, api_key, team_id, organization_id, user_id, model, provider,
    mcp_namespaced_tool_name, end_user, agent_id, spend, prompt_tokens, completion_tokens, successful_requests,
    failed_requests)
  select :date || '-' || n, :date, '/{server}/mcp', printf('%064x', n % keys), 'team-' || (n % keys % 20), 'org',
    'user-' || (n % keys % 100), 'MCP: tool-' || (n / keys % 10), '', 'bench/tool-' || (n / keys % 10),
    'customer-' || n, '',
    0.001 * good, 0, 0, good, bad
  from numbers, plan`;
