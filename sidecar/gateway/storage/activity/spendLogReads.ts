import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SpendLog } from '../../../protocol/gateway/activity.ts';
import type { SpendLogsQuery } from '../../../protocol/gateway/activityQueries.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { Tables } from '../database/tables.ts';
import { contains } from '../matching.ts';
import { member } from '../recordList.ts';
import { asking } from '../storeFault.ts';
import { type SearchedRange, searchedWords } from './searchedWords.ts';
import { fromRow, names, type ReadRow } from './spendLogRow.ts';

const sortColumns = {
  startTime: 'started_ms',
  endTime: 'ended_ms',
  spend: 'spend',
  total_tokens: 'total_tokens',
  request_duration_ms: 'duration_ms',
  model: 'model',
  ttft_ms: 'ttft_ms',
} as const satisfies Record<SpendLogsQuery['sort_by'], string>;

/** Calls that took longer are not told to who follows the log. */
const FOLLOWED_MS = 600_000;

/** Lines that are counted one by one. */
const COUNTED = 10_000;

export type LogFilter = Omit<SpendLogsQuery, 'page' | 'page_size' | 'sort_by' | 'sort_order'>;

/** Reads the lines of calls. */
export class SpendLogReads {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  constructor(db: Kysely<Tables>, isShared: boolean) {
    this.#db = db;
    this.#isShared = isShared;
  }

  async page(query: SpendLogsQuery): Promise<{ readonly data: readonly SpendLog[]; readonly total: number }> {
    return asking(async () => {
      const from = await this.#source(query);
      const direction = sql.raw(query.sort_order);
      const column = sortColumns[query.sort_by];
      // Said of a column that has no nulls, it keeps PostgreSQL from the index.
      const nulls = sql.raw(column === 'ttft_ms' ? 'nulls last' : '');
      const rows = sql<ReadRow>`select ${all} from ${from}
        order by ${sql.ref(column)} ${direction} ${nulls}, request_id ${direction}
        limit ${query.page_size} offset ${(query.page - 1) * query.page_size}`;
      const found = await rows.execute(this.#db);
      return { data: found.rows.map(fromRow), total: await this.#count(query, from) };
    });
  }

  /** All that match, newest first, in pieces that fit into memory. A line that is written meanwhile may be missing. */
  async *all(filter: LogFilter, pieceSize: number): AsyncGenerator<readonly SpendLog[], void> {
    const from = await asking(() => this.#source(filter));
    let after: Pick<ReadRow, 'started_ms' | 'request_id'> | undefined;
    for (;;) {
      const rest = after
        ? sql`where started_ms < ${after.started_ms} or (started_ms = ${after.started_ms} and request_id < ${after.request_id})`
        : sql``;
      const piece = sql<ReadRow>`select ${all}
        from ${from} ${rest} order by started_ms desc, request_id desc limit ${pieceSize}`;
      const { rows } = await asking(() => piece.execute(this.#db));
      if (rows.length > 0) yield rows.map(fromRow);
      after = rows.at(-1);
      if (rows.length < pieceSize) return;
    }
  }

  /** Days count their lines: what has no other filter, and is more than {@link COUNTED}, is not counted line by line. */
  async #count(query: SpendLogsQuery, from: RawBuilder<unknown>): Promise<number> {
    const isPlain = isOfDaysAlone(query);
    const counted = isPlain ? sql`(select 1 from ${from} limit ${COUNTED + 1}) as first` : from;
    const count = await this.#number(sql`select count(*) as value from ${counted}`);
    if (!isPlain || count <= COUNTED) return count;
    const { start_date: start, end_date: end, status_filter: status } = query;
    const days = [
      ...(start === undefined ? [] : [sql`day >= ${Date.parse(start) / DAY_MS}`]),
      ...(end === undefined ? [] : [sql`day <= ${Date.parse(end) / DAY_MS}`]),
    ];
    const lines = await this.#number(
      sql`select coalesce(sum(lines), 0) as value from log_days where ${sql.join([sql`1 = 1`, ...days], sql` and `)}`,
    );
    if (status === undefined) return lines;
    // Few lines have the other status.
    const others = sql`select count(*) as value from spend_logs where ${rangeOf(query).lines} and status = 'failure'`;
    return lines - (await this.#number(others));
  }

  async #number(query: RawBuilder<unknown>): Promise<number> {
    const { rows } = await query.execute(this.#db);
    return Number((rows[0] as { readonly value: number | string }).value);
  }

  async #source(filter: LogFilter): Promise<RawBuilder<unknown>> {
    const range = rangeOf(filter);
    const searched = filter.search && (await searchedWords(this.#db, this.#isShared, filter.search, range));
    const conditions = [range.lines, ...conditionsOf(filter, this.#isShared), ...(searched ? [searched] : [])];
    const matching = sql`select * from spend_logs where ${sql.join(conditions, sql` and `)}`;
    if (!filter.group_by_session) return sql`(${matching}) as lines`;
    const newest = sql`select matching.*, row_number() over
      (partition by coalesce(session_id, request_id) order by started_ms desc, request_id desc) as place
      from (${matching}) as matching`;
    return sql`(select * from (${newest}) as numbered where place = 1) as lines`;
  }
}

const ofPage: ReadonlySet<string> = new Set(['page', 'page_size', 'sort_by', 'sort_order', 'group_by_session']);
const ofDays: ReadonlySet<string> = new Set(['start_date', 'end_date', 'status_filter']);

/** Whole days, and nothing else but successful calls. */
function isOfDaysAlone(query: SpendLogsQuery): boolean {
  const isWhole = [query.start_date, query.end_date].every((it) => it === undefined || isDay(it));
  return (
    isWhole &&
    query.status_filter !== 'failure' &&
    !query.group_by_session &&
    Object.entries(query).every(([name, it]) => it === undefined || ofPage.has(name) || ofDays.has(name))
  );
}

const all = sql.join(names.map((it) => sql.ref(it)));

/** A day that ends the range counts whole. */
function rangeOf({ start_date, end_date }: LogFilter): SearchedRange {
  const lines = [sql`1 = 1`];
  const days = [sql`1 = 1`];
  const dayOf = (moment: string) => new Date(Date.parse(moment)).toISOString().slice(0, 10);
  if (start_date !== undefined) {
    lines.push(sql`started_ms >= ${Date.parse(start_date)}`);
    days.push(sql`date >= ${dayOf(start_date)}`);
  }
  if (end_date !== undefined) {
    const endMs = Date.parse(end_date);
    lines.push(isDay(end_date) ? sql`started_ms < ${endMs + DAY_MS}` : sql`started_ms <= ${endMs}`);
    days.push(sql`date <= ${dayOf(end_date)}`);
  }
  return { lines: sql.join(lines, sql` and `), days: sql.join(days, sql` and `) };
}

function conditionsOf(filter: LogFilter, isShared: boolean): RawBuilder<unknown>[] {
  const { min_spend, max_spend } = filter;
  const found: RawBuilder<unknown>[] = [];
  for (const column of ['api_key', 'user_id', 'team_id'] as const) {
    const values = filter[column];
    if (values) found.push(values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`);
  }
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) found.push(sql`${sql.ref(column)} = ${value}`);
  };
  for (const column of ['end_user', 'request_id', 'session_id', 'trace_id', 'model', 'error_code'] as const)
    equal(column, filter[column]);
  equal('model', filter.model_id);
  equal('model_group', filter.model_group);
  equal('status', filter.status_filter);
  if (filter.key_alias !== undefined) found.push(sql`api_key in (${keysCalled(filter.key_alias, isShared)})`);
  if (filter.ended_after !== undefined) {
    const afterMs = Date.parse(filter.ended_after);
    // The index is on the start.
    found.push(sql`ended_ms > ${afterMs} and started_ms > ${afterMs - FOLLOWED_MS}`);
  }
  if (min_spend !== undefined) found.push(sql`spend >= ${min_spend}`);
  if (max_spend !== undefined) found.push(sql`spend <= ${max_spend}`);
  if (filter.error_message) found.push(sql`error is not null`, contains('error', filter.error_message));
  return found;
}

/** Deleted keys may share an alias, so that it stands in their bodies alone. */
function keysCalled(alias: string, isShared: boolean): RawBuilder<unknown> {
  return sql`select id from records where kind = 'key' and alias = ${alias}
    union all select id from records where kind = 'deleted_key' and ${member('key_alias', isShared)} = ${alias}`;
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
