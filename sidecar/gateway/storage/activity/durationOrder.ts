import { type RawBuilder, sql } from 'kysely';

const micros = sql`cast(cast(duration_ms * 1000 as bigint) as text)`;
/** How many digits the microseconds of a call have, and the first of them. Written as in the index `spend_logs_magnitude`. */
export const magnitude = sql`(length(${micros}) * 10 + cast(substr(${micros}, 1, 1) as integer))`;

export interface DurationPage<Row> {
  readonly direction: 'asc' | 'desc';
  /** Lines before the page. */
  readonly skip: number;
  readonly limit: number;
  /** What a query answers as one number; `undefined` without a row. */
  number(query: RawBuilder<unknown>): Promise<number | undefined>;
  /** Lines that match, in their order. */
  lines(condition: RawBuilder<unknown>, skip: number, limit: number): Promise<readonly Row[]>;
  /** How many lines match. */
  count(condition: RawBuilder<unknown>): Promise<number>;
}

/**
 * A page of lines in the order of how long their calls took. An index has them by the magnitude of that, and by their start. The lines
 * of one magnitude after another are put into order, until the page is full. An index in the exact order would change hundreds of
 * its pages with each batch of calls, and more the more calls a day has.
 */
export async function pageByDuration<Row>(page: DurationPage<Row>): Promise<readonly Row[]> {
  const { direction, limit } = page;
  const found: Row[] = [];
  let { skip } = page;
  for (let at = await next(page); at !== undefined && found.length < limit; at = await next(page, at)) {
    const condition = sql`${magnitude} = ${sql.lit(at)}`;
    const count = skip > 0 ? await page.count(condition) : 0;
    if (skip > 0 && count <= skip) {
      skip -= count;
      continue;
    }
    found.push(...(await page.lines(condition, skip, limit - found.length)));
    skip = 0;
  }
  return found;

  function next({ number }: Pick<DurationPage<Row>, 'number'>, after?: number): Promise<number | undefined> {
    const beyond = sql.raw(direction === 'asc' ? '>' : '<');
    const rest = after === undefined ? sql`` : sql`where ${magnitude} ${beyond} ${after}`;
    return number(sql`select ${magnitude} as value from spend_logs ${rest} order by 1 ${sql.raw(direction)} limit 1`);
  }
}
