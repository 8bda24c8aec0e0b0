import { SpendLog } from '../../../protocol/gateway/activity.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { IncomingLinesRow, SpendLogRow } from '../database/activityTables.ts';
import { type EndedCall, type LineKind, usesTokens } from './endedCall.ts';

/** The columns that differ from call to call, with their types in PostgreSQL. */
const ownColumns = {
  request_id: 'text',
  started_ms: 'bigint',
  ended_ms: 'bigint',
  duration_ms: 'double precision',
  ttft_ms: 'double precision',
  status: 'text',
  error: 'text',
  error_code: 'text',
  spend: 'double precision',
  total_tokens: 'bigint',
} as const;

/** The columns of a line, with their types in PostgreSQL. From `endpoint` on, they are those of {@link LineKind.shared}. */
export const columns = {
  ...ownColumns,
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
  body: 'text',
} as const satisfies Record<keyof SpendLogRow, string>;
export const names = Object.keys(columns) as readonly (keyof SpendLogRow)[];

/** As the database keeps them. */
export type LineTexts = Pick<IncomingLinesRow, 'lists' | 'shared'>;

/** Kinds that are remembered: some calls are of a kind that no other call has. */
const KEPT_KINDS = 64;

/**
 * Lines as they wait to be written. Each is one text: an object of some twenty values would outlive the call that made it, and cost
 * each collection of garbage. What calls of one kind have in common is there once.
 */
export class CallLines {
  /** The own values of each line, as JSON. The last one is the position of its other values in {@link shared}. */
  readonly own: string[] = [];
  /** Lists of values, as JSON. */
  readonly shared: string[] = [];
  /** How many lines began on each day: days since 1970, UTC. */
  readonly days = new Map<number, number>();
  /** The positions of calls that failed. */
  readonly failed: number[] = [];
  readonly #known = new Map<LineKind, number>();

  get length(): number {
    return this.own.length;
  }

  add(it: EndedCall): void {
    const { startedMs, endedMs, status, error, error_code } = it;
    const at = this.#sharedBy(it);
    // One list: a text that is put together from pieces would keep all of them.
    const times = [startedMs, endedMs, it.request_duration_ms, it.ttftMs] as const;
    const own = [it.request_id, ...times, status, error, error_code, it.spend, it.total_tokens, at];
    const day = Math.floor(startedMs / DAY_MS);
    this.days.set(day, (this.days.get(day) ?? 0) + 1);
    if (status === 'failure') this.failed.push(this.own.length);
    this.own.push(JSON.stringify(own));
  }

  /** The lines in the form in which the database keeps them. */
  texts(): LineTexts {
    return { lists: `[${this.own.join(',')}]`, shared: `[${this.shared.join(',')}]` };
  }

  /** @param texts from {@link texts}. Only the lines are read, and not their days, nor which of them failed. */
  static parse({ lists, shared }: LineTexts): CallLines {
    const lines = new CallLines();
    for (const it of JSON.parse(lists) as readonly unknown[]) lines.own.push(JSON.stringify(it));
    for (const it of JSON.parse(shared) as readonly unknown[]) lines.shared.push(JSON.stringify(it));
    return lines;
  }

  /** All values of a line in the order of {@link names}, as JSON. */
  whole(at: number): string {
    const own = this.own[at] ?? '';
    const end = own.lastIndexOf(',') + 1;
    return own.slice(0, end) + (this.shared[Number(own.slice(end, -1))] ?? '').slice(1);
  }

  read(at: number): SpendLog {
    const values = JSON.parse(this.whole(at)) as readonly (string | number | null)[];
    return fromRow(Object.fromEntries(names.map((name, at) => [name, values[at]])) as unknown as ReadRow);
  }

  #sharedBy(call: EndedCall): number {
    const { facts } = call;
    const isOwn = usesTokens(call);
    const known = isOwn ? undefined : this.#known.get(facts);
    if (known !== undefined) return known;
    const at = this.shared.push(facts.shared(call)) - 1;
    if (isOwn) return at;
    if (this.#known.size === KEPT_KINDS) this.#known.clear();
    this.#known.set(facts, at);
    return at;
  }
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
