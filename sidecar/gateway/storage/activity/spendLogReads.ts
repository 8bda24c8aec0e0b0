import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SpendLog } from '../../../protocol/gateway/activity.ts';
import type { SpendLogsQuery } from '../../../protocol/gateway/activityQueries.ts';
import type { Tables } from '../database/tables.ts';
import { member } from '../recordList.ts';
import { asking } from '../storeFault.ts';
import { pageByDuration } from './durationOrder.ts';
import {
  conditionsOf,
  datesIn,
  daysIn,
  isDay,
  type LogFilter,
  ownersOf,
  type Range,
  rangeOf,
  startedIn,
} from './logConditions.ts';
import type { LogLines } from './logLines.ts';
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

/** Indexes sort the lines by these. The one of durations sorts by their magnitude only. */
const ordered: ReadonlySet<string> = new Set(['spend', 'duration_ms']);
/** Of so many days, each is asked for its first lines. */
const ORDERED_DAYS = 400;

/** Lines that are counted one by one. */
const COUNTED = 10_000;
/** To find words in their errors, or to put them in an order that no index has. */
const LOOKED_AT = 5_000;
/** Lines of one magnitude of duration that a bounded query sorts. */
const SORTED = 20_000;

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

/** Reads the lines of calls. */
export class SpendLogReads {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  readonly #lines: Pick<LogLines, 'enterAll'>;
  readonly #lookedAt: number;
  readonly #sorted: number;

  /**
   * @param lookedAt lines that a bounded query looks at one by one
   * @param sorted lines of one magnitude of duration that a bounded query sorts
   */
  constructor(
    db: Kysely<Tables>,
    isShared: boolean,
    lines: Pick<LogLines, 'enterAll'>,
    lookedAt = LOOKED_AT,
    sorted = SORTED,
  ) {
    this.#db = db;
    this.#isShared = isShared;
    this.#lines = lines;
    this.#lookedAt = lookedAt;
    this.#sorted = sorted;
  }

  async page(query: SpendLogsQuery): Promise<FoundLines> {
    await this.#lines.enterAll();
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
      value: (query) => this.#value(query),
      count: (condition, limit) =>
        this.#number(sql`select count(*) as value from (select 1 ${from(condition)} limit ${limit}) as counted`),
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
    await this.#lines.enterAll();
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
    const count = await this.#number(sql`select count(*) as value from ${counted} as counted`);
    if (!isCut || count <= COUNTED) return { total: count, isMore: false };
    if (!isPlain) return { total: COUNTED, isMore: true };
    const range = rangeOf(query);
    const lines = await this.#number(sql`select coalesce(sum(lines), 0) as value from log_days where ${daysIn(range)}`);
    if (query.status_filter === undefined) return { total: lines, isMore: false };
    // Few lines have the other status.
    const others = sql`select count(*) as value from spend_logs where ${startedIn(range)} and status = 'failure'`;
    return { total: lines - (await this.#number(others)), isMore: false };
  }

  /** @returns `undefined` where there is no row */
  async #value(query: RawBuilder<unknown>): Promise<number | undefined> {
    const { rows } = await query.execute(this.#db);
    const first = rows[0] as { readonly value: number | string } | undefined;
    return first && Number(first.value);
  }
  async #number(query: RawBuilder<unknown>): Promise<number> {
    return (await this.#value(query)) ?? 0;
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
