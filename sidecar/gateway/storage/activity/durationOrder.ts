import { type RawBuilder, sql } from 'kysely';

const micros = sql`cast(cast(duration_ms * 1000 as bigint) as text)`;
/**
 * How many digits the microseconds of a call have, and the first digit. The index `spend_logs_magnitude` has this expression, so a change
 * needs a new migration.
 */
export const magnitude = sql`(length(${micros}) * 10 + cast(substr(${micros}, 1, 1) as integer))`;

export interface DurationPage<Row> {
  readonly direction: 'asc' | 'desc';
  /** Lines before the page. */
  readonly skip: number;
  readonly limit: number;
  /** Runs a query that returns one number. @returns `undefined` if there is no row */
  value(query: RawBuilder<unknown>): Promise<number | undefined>;
  /** If a magnitude has more lines, they are sorted by their start, which is the order of the index. */
  readonly mostSorted: number;
  /** Reads lines that match, sorted by duration or by start. */
  lines(by: 'duration' | 'start', condition: RawBuilder<unknown>, skip: number, limit: number): Promise<readonly Row[]>;
  /** Counts the lines that match, up to a limit. */
  count(condition: RawBuilder<unknown>, limit: number): Promise<number>;
}

/**
 * Reads a page of lines, sorted by how long their calls took. The index sorts lines by the magnitude of their duration, and then by their
 * start. So this reads one magnitude after another, and sorts each, until the page is full. In an index of exact durations, each batch of
 * calls would change hundreds of pages, and more of them the more calls a day has.
 */
export async function pageByDuration<Row>(page: DurationPage<Row>): Promise<readonly Row[]> {
  const { direction, limit, mostSorted } = page;
  const found: Row[] = [];
  let { skip } = page;
  for (let at = await next(page); at !== undefined; at = await next(page, at)) {
    const condition = sql`${magnitude} = ${sql.lit(at)}`;
    const count = skip > 0 ? await page.count(condition, skip + 1) : 0;
    if (skip > 0 && count <= skip) {
      skip -= count;
      continue;
    }
    const isLarge = Number.isFinite(mostSorted) && (await page.count(condition, mostSorted + 1)) > mostSorted;
    found.push(...(await page.lines(isLarge ? 'start' : 'duration', condition, skip, limit - found.length)));
    if (found.length === limit) break;
    skip = 0;
  }
  return found;

  function next({ value }: Pick<DurationPage<Row>, 'value'>, after?: number): Promise<number | undefined> {
    const beyond = sql.raw(direction === 'asc' ? '>' : '<');
    const rest = after === undefined ? sql`` : sql`where ${magnitude} ${beyond} ${after}`;
    return value(sql`select ${magnitude} as value from spend_logs ${rest} order by 1 ${sql.raw(direction)} limit 1`);
  }
}
