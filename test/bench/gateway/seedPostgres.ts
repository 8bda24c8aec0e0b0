import pg from 'pg';
import { DAY_MS } from '../../../sidecar/protocol/gateway/duration.ts';

export interface LogPlan {
  /** Lines of the log. */
  readonly calls: number;
  /** Days that they are spread over; the last one is that before today. */
  readonly days: number;
}

/** Entries of the audit and messages of alerts beside a large log. */
const AUDITED = 1_000_000;
const DELIVERED = 100_000;

/**
 * Writes the calls of many days into the database of a gateway that does not run: lines, their sums, audit entries, and
 * messages of alerts. The callers are the keys of its records.
 */
export async function seedPostgres(url: string, { calls, days }: LogPlan): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    for (const it of settings) await client.query(it);
    await client.query(callersSql);
    const indexes = await client.query<{ indexdef: string; indexname: string }>(indexesSql);
    for (const { indexname } of indexes.rows) await client.query(`drop index ${client.escapeIdentifier(indexname)}`);
    await client.query(linesSql, [calls, endMs - days * DAY_MS, (days * DAY_MS) / calls]);
    for (const { indexdef } of indexes.rows) await client.query(indexdef);
    for (const it of sumsSql) await client.query(it);
    await client.query(auditSql, [AUDITED, endMs]);
    await client.query(deliveriesSql, [DELIVERED, endMs]);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

const settings = ["set maintenance_work_mem = '1GB'", "set work_mem = '256MB'", 'set synchronous_commit = off'];

/** Each key calls one server, for one end user. */
const callersSql = `
  create temporary table callers as
  with numbered as (select kind, id, team_id, user_id, row_number() over (partition by kind order by id)::int - 1 as n,
    count(*) over (partition by kind)::int as total from records)
  select key.n, key.total, key.id as api_key, key.team_id, key.user_id, team.organization_id, end_user.id as end_user,
    server.id as server
  from numbered as key
  join numbered as end_user on end_user.kind = 'end_user' and end_user.n = key.n % end_user.total
  join numbered as server on server.kind = 'mcp_server' and server.n = key.n % server.total
  left join records as team on team.kind = 'team' and team.id = key.team_id
  where key.kind = 'key'`;

const indexesSql = `select indexname, indexdef from pg_indexes
  where tablename = 'spend_logs' and indexname <> 'spend_logs_pkey'`;

/** One in five is a call of a model; one in fifty fails. IDs are in no order, as real ones. */
const linesSql = `
  insert into spend_logs (request_id, started_ms, ended_ms, duration_ms, ttft_ms, endpoint, api_key, user_id, team_id,
    organization_id, end_user, agent_id, session_id, trace_id, model, model_group, status, error, error_code, spend,
    total_tokens, body)
  select md5(n::text)::uuid::text, at, at + 12,
    5 + n::bigint * 7919 % 10007 / 1000.0 * (case when n % 100 = 0 then 51 else 1 end), 10,
    case when is_model then '/v1/chat/completions' else '/{server}/mcp' end,
    api_key, user_id, team_id, organization_id, end_user, null, 'session-' || (n / 20), null,
    case when is_model then 'model-' || (key % 5) else 'MCP: tool-' || tool end,
    case when is_model then 'model-' || (key % 5) end,
    case when is_failure then 'failure' else 'success' end,
    case when is_failure then 'The server failed.' end, case when is_failure then 'server_error' end,
    0.001, case when is_model then 1500 else 0 end,
    json_build_object('call_type', case when is_model then 'chat' else 'mcp:tools/call' end,
      'prompt_tokens', case when is_model then 1000 else 0 end,
      'completion_tokens', case when is_model then 500 else 0 end, 'custom_llm_provider', null, 'api_base', null,
      'mcp_namespaced_tool_name', case when is_model then null else server || '/tool-' || tool end,
      'request_tags', case when key % 10 = 0 then json_build_array('tag-' || (key % 100)) else '[]'::json end,
      'requester_ip_address', '127.0.0.1', 'metadata', '{}'::json)::text
  from (
    select numbers.n, ($2::float8 + numbers.n * $3::float8)::bigint as at, callers.n as key,
      numbers.n / total % 10 as tool,
      numbers.n / total % 5 = 0 as is_model, (numbers.n / total + numbers.n) % 50 = 0 as is_failure, api_key, user_id, team_id,
      organization_id, end_user, server
    from (select generate_series(0, $1::int - 1) as n) as numbers
    join callers on callers.n = numbers.n % (select max(total) from callers)
  ) as calls`;

const named = `endpoint, api_key, coalesce(team_id, '') as team_id, coalesce(organization_id, '') as organization_id,
  coalesce(user_id, '') as user_id, model, coalesce(model_group, '') as model_group, '' as provider,
  coalesce(body::json ->> 'mcp_namespaced_tool_name', '') as mcp_namespaced_tool_name`;
const counted = `sum(spend), sum(case when total_tokens > 0 then 1000 else 0 end),
  sum(case when total_tokens > 0 then 500 else 0 end), count(*) filter (where status = 'success'),
  count(*) filter (where status = 'failure')`;
const day = `to_char(to_timestamp(started_ms / 1000.0) at time zone 'UTC', 'YYYY-MM-DD') as date`;
const into = `endpoint, api_key, team_id, organization_id, user_id, model, model_group, provider,
  mcp_namespaced_tool_name, spend, prompt_tokens, completion_tokens, successful_requests, failed_requests`;

/** Those of one day are together, as a gateway writes them. */
const sumsSql = [
  `insert into log_days select started_ms / 86400000, count(*) from spend_logs group by 1`,
  `insert into daily_activity (id, date, end_user, agent_id, ${into})
    select md5(random()::text || row_number() over ()), sums.*
    from (select ${day}, end_user, '' as agent_id, ${named}, ${counted} from spend_logs
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) as sums order by date`,
  `insert into daily_tag_activity (id, date, tag, ${into})
    select md5(random()::text || row_number() over ()), sums.*
    from (select ${day}, body::json -> 'request_tags' ->> 0 as tag, ${named}, ${counted} from spend_logs
      where body like '%["tag-%' group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) as sums order by date`,
  `insert into daily_edge select date, endpoint, sum(successful_requests), sum(failed_requests)
    from daily_activity group by date, endpoint`,
];

/** What one change of a key leaves, about as long as a real one. */
const auditSql = `
  insert into audit (id, at, actor, action, kind, object_id, before, after)
  select md5('audit' || n)::uuid::text,
    to_char(to_timestamp(($2::float8 - n * 2000.0) / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'user-' || (n % 100), (array['created', 'updated', 'deleted'])[1 + n % 3], (array['key', 'team', 'user'])[1 + n % 3],
    md5('object' || (n % 10000)), json_build_object('key_alias', 'key-' || n, 'max_budget', n)::text,
    json_build_object('key_alias', 'key-' || n, 'max_budget', n + 1)::text
  from generate_series(1, $1::int) as n`;

const deliveriesSql = `
  insert into alert_deliveries (id, target, rule, type, count, body, state, created_ms, due_ms, attempts, next_ms, ended_ms)
  select 'delivery-' || n, 'target', 'rule', 'server_down', 1,
    json_build_object('id', 'delivery-' || n, 'type', 'server_down', 'rule', 'rule',
      'created_at', '2026-01-01T00:00:00.000Z', 'count', 1, 'events', '[]'::json)::text,
    case when n % 100 = 0 then 'dead' else 'delivered' end, $2::bigint - n * 1000, $2::bigint - n * 1000, 1,
    $2::bigint - n * 1000, $2::bigint - n * 1000
  from generate_series(1, $1::int) as n`;
