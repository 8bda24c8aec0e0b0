import { SpendLog } from '../../../protocol/gateway/activity.ts';
import type { SpendLogRow } from '../database/activityTables.ts';
import type { EndedCall } from './endedCall.ts';

/** The columns of a line, with their types in PostgreSQL. */
export const columns = {
  request_id: 'text',
  started_ms: 'bigint',
  ended_ms: 'bigint',
  duration_ms: 'double precision',
  ttft_ms: 'double precision',
  endpoint: 'text',
  api_key: 'text',
  user_id: 'text',
  team_id: 'text',
  organization_id: 'text',
  end_user: 'text',
  agent_id: 'text',
  session_id: 'text',
  trace_id: 'text',
  model: 'text',
  model_group: 'text',
  status: 'text',
  error: 'text',
  error_code: 'text',
  spend: 'double precision',
  total_tokens: 'bigint',
  body: 'text',
} as const satisfies Record<keyof SpendLogRow, string>;
export const names = Object.keys(columns) as readonly (keyof SpendLogRow)[];

/** The values of one line, in the order of {@link names}. */
type LineRow = readonly (string | number | null)[];

/** A line as it waits to be written: {@link LineRow} as JSON, one text instead of an object and all that it holds. */
export function toLine(it: EndedCall): string {
  const { facts } = it;
  const id = JSON.stringify(it.request_id);
  const ttft = it.ttftMs ?? 'null';
  const status = it.status === 'success' ? '"success"' : '"failure"';
  const error = it.error === null ? 'null' : JSON.stringify(it.error);
  const code = it.error_code === null ? 'null' : JSON.stringify(it.error_code);
  const body = facts.body(it);
  const times = `${it.startedMs},${it.endedMs},${it.request_duration_ms},${ttft}`;
  return `[${id},${times},${facts.written},${status},${error},${code},${it.spend},${it.total_tokens},${body}]`;
}

/** @param line of {@link toLine} */
export function fromLine(line: string): SpendLog {
  const values = JSON.parse(line) as LineRow;
  return fromRow(Object.fromEntries(names.map((name, at) => [name, values[at]])) as unknown as ReadRow);
}

/** A row as databases answer it: whole numbers may be texts. Lines of before have all of themselves in the last column. */
export type ReadRow = {
  readonly [K in keyof SpendLogRow]: SpendLogRow[K] | (number extends SpendLogRow[K] ? string : never);
};

/** @throws {ZodError} for a row that is no line */
export function fromRow(row: ReadRow): SpendLog {
  const startedMs = Number(row.started_ms);
  const at = (ms: number) => new Date(ms).toISOString();
  return SpendLog.parse({
    request_id: row.request_id,
    endpoint: row.endpoint,
    api_key: row.api_key,
    spend: row.spend,
    total_tokens: Number(row.total_tokens),
    startTime: at(startedMs),
    endTime: at(Number(row.ended_ms)),
    completionStartTime: row.ttft_ms === null ? null : at(startedMs + Number(row.ttft_ms)),
    request_duration_ms: row.duration_ms,
    model: row.model,
    model_group: row.model_group,
    user: row.user_id,
    team_id: row.team_id,
    organization_id: row.organization_id,
    end_user: row.end_user,
    agent_id: row.agent_id,
    session_id: row.session_id,
    trace_id: row.trace_id,
    status: row.status,
    error: row.error,
    error_code: row.error_code,
    ...(JSON.parse(row.body) as object),
  });
}
