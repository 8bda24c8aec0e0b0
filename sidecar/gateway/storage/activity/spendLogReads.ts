import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SpendLog } from '../../../protocol/gateway/activity.ts';
import type { SpendLogsQuery } from '../../../protocol/gateway/activityQueries.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { Tables } from '../database/tables.ts';
import { contains } from '../matching.ts';
import { member } from '../recordList.ts';
import { asking } from '../storeFault.ts';
import { pageByDuration } from './durationOrder.ts';
import { dayOf } from './endedCall.ts';
import { searchedWords } from './searchedWords.ts';
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

/** Indexes have the lines in the order of these, or nearly so. */
const ordered: ReadonlySet<string> = new Set(['spend', 'duration_ms']);
/** Of so many days, each is asked for its first lines. */
const ORDERED_DAYS = 400;

/** Calls that took longer are not told to who follows the log. */
const FOLLOWED_MS = 600_000;

/** Lines that are counted one by one. */
const COUNTED = 10_000;
/** To find words in their errors, or to put them in an order that no index has. */
const LOOKED_AT = 5_000;
/** Lines of about the same duration that a bounded query sorts. */
const SORTED = 20_000;

export type LogFilter = Omit<SpendLogsQuery, 'page' | 'page_size' | 'sort_by' | 'sort_order' | 'bounded'>;

export interface FoundLines {
  readonly data: readonly SpendLog[];
  readonly total: number;
  /** There are more than `total`. */
  readonly isMore: boolean;
  /** Calls that started before were not looked at, though they are in the range; but for words that begin their ids. */
  readonly sinceMs?: number | undefined;
}

/** What a query looks at. */
interface Looked extends Pick<FoundLines, 'sinceMs'> {
  readonly range: Range;
  readonly conditions: readonly RawBuilder<unknown>[];
}

/** When calls started: from the first to before the second. */
interface Range {
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** Reads the lines of calls. */
export class SpendLogReads {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  readonly #lookedAt: number;
  readonly #sorted: number;

  /**
   * @param lookedAt lines that a bounded query looks at one by one
   * @param sorted lines of about the same duration that a bounded query sorts
   */
  constructor(db: Kysely<Tables>, isShared: boolean, lookedAt = LOOKED_AT, sorted = SORTED) {
    this.#db = db;
    this.#isShared = isShared;
    this.#lookedAt = lookedAt;
    this.#sorted = sorted;
  }

  async page(query: SpendLogsQuery): Promise<FoundLines> {
    return asking(async () => {
      const column = sortColumns[query.sort_by];
      const { sinceMs, conditions, range } = query.bounded ? await this.#bounded(query) : await this.#whole(query);
      const matching = sourceOf(query, conditions);
      const direction = sql.raw(query.sort_order);
      // Said of a column that has no nulls, it keeps PostgreSQL from the index.
      const nulls = sql.raw(column === 'ttft_ms' ? 'nulls last' : '');
      const newest = column === 'started_ms' ? sql`` : sql`started_ms ${direction},`;
      const order = sql`order by ${sql.ref(column)} ${direction} ${nulls}, ${newest} request_id ${direction}`;
      const rows =
        column === 'duration_ms' && isOrdered(query)
          ? await this.#byDuration(query, conditions, order)
          : await this.#page(query, matching, order, range);
      return { data: rows.map(fromRow), ...(await this.#count(query, matching)), sinceMs };
    });
  }

  async #page(
    query: SpendLogsQuery,
    matching: RawBuilder<unknown>,
    order: RawBuilder<unknown>,
    range: Range,
  ): Promise<readonly ReadRow[]> {
    const { page, page_size } = query;
    const days = isOrdered(query) ? await this.#days(range, page * page_size, order) : undefined;
    const { rows } = await sql<ReadRow>`with matching as not materialized (${matching})
      select ${all} from ${days ?? sql`matching`} ${order} limit ${page_size} offset ${(page - 1) * page_size}`.execute(
      this.#db,
    );
    return rows;
  }

  #byDuration(
    { page, page_size, sort_order, bounded }: SpendLogsQuery,
    conditions: readonly RawBuilder<unknown>[],
    order: RawBuilder<unknown>,
  ): Promise<readonly ReadRow[]> {
    const direction = sql.raw(sort_order);
    const byStart = sql`order by started_ms ${direction}, request_id ${direction}`;
    const from = (condition: RawBuilder<unknown>) =>
      sql`from spend_logs where ${sql.join([condition, ...conditions], sql` and `)}`;
    return pageByDuration({
      direction: sort_order,
      skip: (page - 1) * page_size,
      limit: page_size,
      mostSorted: bounded ? this.#sorted : Number.POSITIVE_INFINITY,
      number: (query) => this.#number(query),
      count: (condition, limit) =>
        this.#sum(sql`select count(*) as value from (select 1 ${from(condition)} limit ${limit}) as counted`),
      lines: async (by, condition, skip, limit) => {
        const { rows } = await sql<ReadRow>`select ${all} ${from(condition)} ${by === 'start' ? byStart : order}
          limit ${limit} offset ${skip}`.execute(this.#db);
        return rows;
      },
    });
  }

  async #whole(filter: LogFilter): Promise<Looked> {
    const range = rangeOf(filter);
    return { range, conditions: await this.#conditions(filter, range) };
  }

  /** How much of the range a bounded query looks at, newest first, where it cannot find the lines in an index. */
  async #bounded(query: SpendLogsQuery): Promise<Looked> {
    const range = rangeOf(query);
    const failed = [sql`error is not null`, startedIn(range), ...ownersOf(query)];
    const searchedMs = query.search ? await this.#sinceMs(failed, range) : undefined;
    const conditions = await this.#conditions(query, range, searchedMs);
    const isRead = query.group_by_session || (query.sort_by !== 'startTime' && !isOrdered(query));
    const readMs = isRead ? await this.#sinceMs(conditions, range) : undefined;
    if (readMs === undefined) return { sinceMs: searchedMs, range, conditions };
    const part = { ...range, fromMs: readMs };
    return {
      sinceMs: Math.max(readMs, searchedMs ?? readMs),
      range: part,
      conditions: [startedIn(part), ...conditions],
    };
  }

  /** From when on there are as many lines as are looked at. @returns `undefined` where the range has no more */
  async #sinceMs(conditions: readonly RawBuilder<unknown>[], range: Range): Promise<number | undefined> {
    const { rows } = await sql<{ started_ms: number | string }>`select started_ms from spend_logs
      where ${sql.join(conditions, sql` and `)} order by started_ms desc limit 1 offset ${this.#lookedAt}`.execute(
      this.#db,
    );
    if (!rows[0]) return undefined;
    const startedMs = Number(rows[0].started_ms);
    // Others may have started in the same millisecond. The last one of the range is looked at, however many there are.
    const sinceMs = startedMs + 1 === range.untilMs ? startedMs : startedMs + 1;
    return sinceMs === range.fromMs ? undefined : sinceMs;
  }

  /** The first lines of each day. @returns `undefined` where there are too many days */
  async #days(range: Range, limit: number, order: RawBuilder<unknown>): Promise<RawBuilder<unknown> | undefined> {
    const { rows } = await sql<{ day: number | string }>`select day from log_days
      where ${daysIn(range)} order by day limit ${ORDERED_DAYS + 1}`.execute(this.#db);
    if (rows.length === 0 || rows.length > ORDERED_DAYS) return undefined;
    // SQLite keeps statements by their text, which is the same for every page and for as many other days.
    const firsts = rows.map(({ day }) => {
      const ofDay = sql`started_ms / 86400000 = ${Number(day)}`;
      return sql`select * from (select ${all} from matching where ${ofDay} ${order} limit ${limit}) as first`;
    });
    return sql`(${sql.join(firsts, sql` union all `)}) as days`;
  }

  /** All that match, newest first, in pieces that fit into memory. A line that is written meanwhile may be missing. */
  async *all(filter: LogFilter, pieceSize: number): AsyncGenerator<readonly SpendLog[], void> {
    const conditions = await asking(() => this.#conditions(filter, rangeOf(filter)));
    const from = sql`(${sourceOf(filter, conditions)}) as lines`;
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
  async #count(query: SpendLogsQuery, matching: RawBuilder<unknown>): Promise<Pick<FoundLines, 'total' | 'isMore'>> {
    const isPlain = isOfDaysAlone(query);
    const isCut = isPlain || query.bounded;
    const counted = isCut ? sql`(select 1 from (${matching}) as lines limit ${COUNTED + 1})` : sql`(${matching})`;
    const count = await this.#sum(sql`select count(*) as value from ${counted} as counted`);
    if (!isCut || count <= COUNTED) return { total: count, isMore: false };
    if (!isPlain) return { total: COUNTED, isMore: true };
    const range = rangeOf(query);
    const lines = await this.#sum(sql`select coalesce(sum(lines), 0) as value from log_days where ${daysIn(range)}`);
    if (query.status_filter === undefined) return { total: lines, isMore: false };
    // Few lines have the other status.
    const others = sql`select count(*) as value from spend_logs where ${startedIn(range)} and status = 'failure'`;
    return { total: lines - (await this.#sum(others)), isMore: false };
  }

  /** @returns `undefined` where there is no row */
  async #number(query: RawBuilder<unknown>): Promise<number | undefined> {
    const { rows } = await query.execute(this.#db);
    const first = rows[0] as { readonly value: number | string } | undefined;
    return first && Number(first.value);
  }
  async #sum(query: RawBuilder<unknown>): Promise<number> {
    return (await this.#number(query)) ?? 0;
  }

  /** @param searchedMs words other than ids are looked for from then on */
  async #conditions(filter: LogFilter, range: Range, searchedMs?: number): Promise<readonly RawBuilder<unknown>[]> {
    const part = { ...range, fromMs: searchedMs ?? range.fromMs };
    const lines = sql.join([startedIn(part), ...ownersOf(filter)], sql` and `);
    const searched = { lines, days: datesIn(part), isPart: searchedMs !== undefined };
    const words = filter.search && (await searchedWords(this.#db, this.#isShared, filter.search, searched));
    const keys = filter.key_alias === undefined ? [] : [await this.#keysCalled(filter.key_alias)];
    return [startedIn(range), ...conditionsOf(filter), ...keys, ...(words ? [words] : [])];
  }

  /** Deleted keys may share an alias, so that it stands in their bodies alone. An index is used for hashes that are written out. */
  async #keysCalled(alias: string): Promise<RawBuilder<unknown>> {
    const { rows } = await sql<{ id: string }>`select id from records where kind = 'key' and alias = ${alias}
      union all select id from records
      where kind = 'deleted_key' and ${member('key_alias', this.#isShared)} = ${alias}`.execute(this.#db);
    return rows.length === 0 ? sql`1 = 0` : sql`api_key in (${sql.join(rows.map((it) => it.id))})`;
  }
}

function sourceOf(filter: LogFilter, conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const matching = sql`select * from spend_logs where ${sql.join(conditions, sql` and `)}`;
  if (!filter.group_by_session) return matching;
  const newest = sql`select matching.*, row_number() over
    (partition by coalesce(session_id, request_id) order by started_ms desc, request_id desc) as place
    from (${matching}) as matching`;
  return sql`select * from (${newest}) as numbered where place = 1`;
}

const ofPage: ReadonlySet<string> = new Set([
  'page',
  'page_size',
  'sort_by',
  'sort_order',
  'group_by_session',
  'bounded',
]);
const ofDays: ReadonlySet<string> = new Set(['start_date', 'end_date', 'status_filter']);

/** Nothing else but successful calls. */
const isOfMost = (query: SpendLogsQuery): boolean =>
  query.status_filter !== 'failure' &&
  !query.group_by_session &&
  Object.entries(query).every(([name, it]) => it === undefined || ofPage.has(name) || ofDays.has(name));

/** Whole days, and nothing else but successful calls. */
const isOfDaysAlone = (query: SpendLogsQuery): boolean =>
  isOfMost(query) && [query.start_date, query.end_date].every((it) => it === undefined || isDay(it));

/** The first lines in an order are found at once only where most lines match. */
const isOrdered = (query: SpendLogsQuery): boolean => ordered.has(sortColumns[query.sort_by]) && isOfMost(query);

const all = sql.join(names.map((it) => sql.ref(it)));

/** A day that ends the range counts whole. */
function rangeOf({ start_date, end_date, ended_after }: LogFilter): Range {
  const starts = [
    ...(start_date === undefined ? [] : [Date.parse(start_date)]),
    ...(ended_after === undefined ? [] : [Date.parse(ended_after) - FOLLOWED_MS + 1]),
  ];
  return {
    fromMs: starts.length === 0 ? undefined : Math.max(...starts),
    untilMs: end_date === undefined ? undefined : Date.parse(end_date) + (isDay(end_date) ? DAY_MS : 1),
  };
}

function within(range: Range, from: (ms: number) => RawBuilder<unknown>, until: (ms: number) => RawBuilder<unknown>) {
  const { fromMs, untilMs } = range;
  const bounds = [...(fromMs === undefined ? [] : [from(fromMs)]), ...(untilMs === undefined ? [] : [until(untilMs)])];
  return sql.join([sql`1 = 1`, ...bounds], sql` and `);
}
const startedIn = (range: Range) =>
  within(
    range,
    (ms) => sql`started_ms >= ${ms}`,
    (ms) => sql`started_ms < ${ms}`,
  );
/** Conditions on the sums of days. */
const datesIn = (range: Range) =>
  within(
    range,
    (ms) => sql`date >= ${dayOf(ms)}`,
    (ms) => sql`date <= ${dayOf(ms - 1)}`,
  );
const daysIn = (range: Range) =>
  within(
    range,
    (ms) => sql`day >= ${Math.floor(ms / DAY_MS)}`,
    (ms) => sql`day <= ${Math.floor((ms - 1) / DAY_MS)}`,
  );

/** Whose calls. How far a search looks depends on these alone: when the calls of others failed is not the caller's business. */
function ownersOf(filter: LogFilter): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [];
  for (const column of ['api_key', 'user_id', 'team_id'] as const) {
    const values = filter[column];
    if (values) found.push(values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`);
  }
  return found;
}

function conditionsOf(filter: LogFilter): RawBuilder<unknown>[] {
  const { min_spend, max_spend } = filter;
  const found = ownersOf(filter);
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) found.push(sql`${sql.ref(column)} = ${value}`);
  };
  for (const column of ['end_user', 'request_id', 'session_id', 'trace_id', 'model', 'error_code'] as const)
    equal(column, filter[column]);
  equal('model', filter.model_id);
  equal('model_group', filter.model_group);
  // Most calls succeed, so an index of their status would find nearly all of them.
  if (filter.status_filter === 'success') found.push(sql`status <> 'failure'`);
  if (filter.status_filter === 'failure') found.push(sql`status = 'failure'`);
  // The index is on the start, which the range limits.
  if (filter.ended_after !== undefined) found.push(sql`ended_ms > ${Date.parse(filter.ended_after)}`);
  if (min_spend !== undefined) found.push(sql`spend >= ${min_spend}`);
  if (max_spend !== undefined) found.push(sql`spend <= ${max_spend}`);
  if (filter.error_message) found.push(sql`error is not null`, contains('error', filter.error_message));
  return found;
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
