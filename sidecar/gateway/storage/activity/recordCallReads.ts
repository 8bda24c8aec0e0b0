import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import type { LogLines } from './logLines.ts';

/** Which calls belong to a record. */
export type CallsOf =
  | {
      readonly column: 'api_key' | 'team_id' | 'user_id' | 'end_user' | 'model_group' | 'organization_id' | 'agent_id';
      readonly value: string;
    }
  /** Names of a server, as in `{server}/{tool}`. */
  | { readonly servers: readonly string[] }
  /** `{server}/{tool}` each. */
  | { readonly tools: readonly string[] };

export interface CallSums {
  readonly successful_requests: number;
  readonly failed_requests: number;
  readonly total_tokens: number;
  /** US dollars. */
  readonly spend: number;
}
export type NamedSums = CallSums & { readonly name: string };
/** What sums can be grouped by. */
export type GroupColumn = 'date' | 'api_key' | 'mcp_namespaced_tool_name' | 'model_group';

/** The log has an index on these columns. */
const indexed: readonly string[] = ['api_key', 'team_id', 'user_id', 'end_user', 'model_group'];

/** Reads the calls of one record: from the sums of days, and the last time from the log where it has an index. */
export class RecordCallReads {
  readonly #db: Kysely<Tables>;
  readonly #lines: Pick<LogLines, 'enterAll'>;
  constructor(db: Kysely<Tables>, lines: Pick<LogLines, 'enterAll'>) {
    this.#db = db;
    this.#lines = lines;
  }

  /** Sums of the days from `start` to `end` (YYYY-MM-DD, both included), most calls first. */
  async sums(
    of: CallsOf,
    range: { readonly start: string; readonly end: string },
    by: GroupColumn,
    limit: number,
  ): Promise<readonly NamedSums[]> {
    const column = sql.ref(by);
    const found = sql<NamedSums>`select ${column} as name, sum(successful_requests) as successful_requests,
      sum(failed_requests) as failed_requests, sum(prompt_tokens + completion_tokens) as total_tokens, sum(spend) as spend
      from daily_activity where date between ${range.start} and ${range.end} and ${conditionOf(of)} and ${column} <> ''
      group by ${column} order by sum(successful_requests + failed_requests) desc, ${column} limit ${limit}`;
    const { rows } = await asking(() => found.execute(this.#db));
    return rows.map((it) => ({
      name: it.name,
      successful_requests: Number(it.successful_requests),
      failed_requests: Number(it.failed_requests),
      total_tokens: Number(it.total_tokens),
      spend: Number(it.spend),
    }));
  }

  /** When the log's last call of the record started, in milliseconds; `undefined` where that is not known. */
  async lastStartedMs(of: CallsOf): Promise<number | undefined> {
    if (!('column' in of) || !indexed.includes(of.column)) return undefined;
    await this.#lines.enterAll();
    const found = sql<{ started_ms: number | string }>`select started_ms from spend_logs
      where ${sql.ref(of.column)} = ${of.value} order by started_ms desc limit 1`;
    const { rows } = await asking(() => found.execute(this.#db));
    return rows[0] && Number(rows[0].started_ms);
  }
}

function conditionOf(of: CallsOf): RawBuilder<unknown> {
  if ('column' in of) return sql`${sql.ref(of.column)} = ${of.value}`;
  const tool = sql.ref('mcp_namespaced_tool_name');
  if ('tools' in of) return of.tools.length === 0 ? sql`1 = 0` : sql`${tool} in (${sql.join(of.tools)})`;
  // A call of no tool has the server's name alone.
  const ofServer = (name: string) =>
    sql`${tool} = ${name} or substr(${tool}, 1, length(cast(${`${name}/`} as text))) = ${`${name}/`}`;
  return of.servers.length === 0 ? sql`1 = 0` : sql`(${sql.join(of.servers.map(ofServer), sql` or `)})`;
}
