import { type Kysely, type RawBuilder, sql } from 'kysely';
import { SpendLog } from '../../protocol/gateway/activity.ts';
import type { SpendLogsQuery } from '../../protocol/gateway/activityQueries.ts';
import { asking } from './storeFault.ts';
import type { Tables } from './tables.ts';

const DAY_MS = 24 * 60 * 60_000;
const sortColumns = {
  startTime: 'started_ms',
  endTime: 'ended_ms',
  spend: 'spend',
  total_tokens: 'total_tokens',
  request_duration_ms: 'duration_ms',
  model: 'model',
  ttft_ms: 'ttft_ms',
} as const satisfies Record<SpendLogsQuery['sort_by'], string>;

export type LogFilter = Omit<SpendLogsQuery, 'page' | 'page_size' | 'sort_by' | 'sort_order'>;

/** Reads the lines of calls. */
export class SpendLogReads {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async page(query: SpendLogsQuery): Promise<{ readonly data: readonly SpendLog[]; readonly total: number }> {
    const from = source(query);
    const direction = sql.raw(query.sort_order);
    const column = sql.ref(sortColumns[query.sort_by]);
    const rows = sql<{ body: string }>`select body from ${from}
      order by ${column} ${direction} nulls last, request_id ${direction}
      limit ${query.page_size} offset ${(query.page - 1) * query.page_size}`;
    const counts = sql<{ count: number | string }>`select count(*) as count from ${from}`;
    const [found, counted] = await asking(
      async () => [await rows.execute(this.#db), await counts.execute(this.#db)] as const,
    );
    return { data: found.rows.map((it) => read(it.body)), total: Number(counted.rows[0]?.count ?? 0) };
  }

  /** All that match, newest first, in pieces that fit into memory. A line that is written meanwhile may be missing. */
  async *all(filter: LogFilter, pieceSize: number): AsyncGenerator<readonly SpendLog[], void> {
    const from = source(filter);
    let after: { started_ms: number; request_id: string } | undefined;
    for (;;) {
      const rest = after
        ? sql`where started_ms < ${after.started_ms} or (started_ms = ${after.started_ms} and request_id < ${after.request_id})`
        : sql``;
      const piece = sql<{ body: string; started_ms: number; request_id: string }>`select body, started_ms, request_id
        from ${from} ${rest} order by started_ms desc, request_id desc limit ${pieceSize}`;
      const { rows } = await asking(() => piece.execute(this.#db));
      if (rows.length > 0) yield rows.map((it) => read(it.body));
      after = rows.at(-1);
      if (rows.length < pieceSize) return;
    }
  }
}

const read = (body: string): SpendLog => SpendLog.parse(JSON.parse(body));

function source(filter: LogFilter): RawBuilder<unknown> {
  const matching = sql`select * from spend_logs where ${sql.join(conditions(filter), sql` and `)}`;
  if (!filter.group_by_session) return sql`(${matching}) as lines`;
  const newest = sql`select matching.*, row_number() over
    (partition by coalesce(session_id, request_id) order by started_ms desc, request_id desc) as place
    from (${matching}) as matching`;
  return sql`(select * from (${newest}) as numbered where place = 1) as lines`;
}

function conditions(filter: LogFilter): RawBuilder<unknown>[] {
  const { start_date, end_date, min_spend, max_spend } = filter;
  const found = [sql`1 = 1`];
  if (start_date !== undefined) found.push(sql`started_ms >= ${Date.parse(start_date)}`);
  if (end_date !== undefined)
    found.push(
      isDay(end_date) ? sql`started_ms < ${Date.parse(end_date) + DAY_MS}` : sql`started_ms <= ${Date.parse(end_date)}`,
    );
  for (const column of ['api_key', 'user_id', 'team_id'] as const) {
    const values = filter[column];
    if (values) found.push(values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`);
  }
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) found.push(sql`${sql.ref(column)} = ${value}`);
  };
  for (const column of ['end_user', 'request_id', 'session_id', 'model', 'error_code'] as const)
    equal(column, filter[column]);
  equal('model', filter.model_id);
  equal('model', filter.model_group);
  equal('status', filter.status_filter);
  if (filter.key_alias !== undefined)
    found.push(
      sql`api_key in (select id from records where kind in ('key', 'deleted_key') and alias = ${filter.key_alias})`,
    );
  if (min_spend !== undefined) found.push(sql`spend >= ${min_spend}`);
  if (max_spend !== undefined) found.push(sql`spend <= ${max_spend}`);
  if (filter.error_message) found.push(contains('error', filter.error_message));
  if (filter.search) {
    const begins = ['request_id', 'session_id'].map(
      (it) => sql`${sql.ref(it)} like ${`${escaped(filter.search!)}%`} escape '!'`,
    );
    const holds = ['model', 'endpoint', 'end_user', 'error'].map((it) => contains(it, filter.search!));
    found.push(sql`(${sql.join([...begins, ...holds], sql` or `)})`);
  }
  return found;
}

const contains = (column: string, words: string) =>
  sql`lower(${sql.ref(column)}) like ${`%${escaped(words.toLowerCase())}%`} escape '!'`;
const escaped = (words: string) => words.replaceAll(/[!%_]/g, '!$&');
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
