import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** Values of one column that are looked up one by one; words that are in more of them find the lines as they come. */
const VALUES = 200;
const LAST_CHARACTER = '\u{10FFFF}';

/** Which lines may be found, as conditions on lines and as days of the sums. */
export interface SearchedRange {
  readonly lines: RawBuilder<unknown>;
  readonly days: RawBuilder<unknown>;
}

/**
 * What words mean, as a condition that the indexes of the log answer: sums know every model, endpoint and end user that a
 * line can have, and they are few where lines are many.
 *
 * @param isShared PostgreSQL, whose texts have an order of their own
 * @returns `undefined` where every line has them
 */
export async function searchedWords(
  db: Kysely<Tables>,
  isShared: boolean,
  words: string,
  range: SearchedRange,
): Promise<RawBuilder<unknown> | undefined> {
  const values = async (found: RawBuilder<{ readonly value: string }>) =>
    (await found.execute(db)).rows.map((it) => it.value);
  const any: RawBuilder<unknown>[] = [];
  for (const name of ['model', 'endpoint', 'end_user']) {
    const found = await values(sql`select distinct ${sql.ref(name)} as value from daily_activity
      where ${range.days} and ${contains(name, words)} limit ${VALUES + 1}`);
    if (found.length === 0) continue;
    const others = sql`select 1 from daily_activity where ${range.days} and not ${contains(name, words)} limit 1`;
    if ((await others.execute(db)).rows.length === 0) return undefined;
    any.push(found.length > VALUES ? contains(name, words) : among(name, found));
  }
  const begins = (name: string) => {
    const text = isShared ? sql`${sql.ref(name)} collate "C"` : sql.ref(name);
    return sql`(${text} >= ${words} and ${text} < ${words + LAST_CHARACTER})`;
  };
  for (const name of ['request_id', 'session_id']) {
    const found = await values(sql`select distinct ${sql.ref(name)} as value from spend_logs
      where ${begins(name)} limit ${VALUES + 1}`);
    if (found.length > 0) any.push(found.length > VALUES ? begins(name) : among(name, found));
  }
  const failed = await values(sql`select request_id as value from spend_logs
    where error is not null and ${range.lines} and ${contains('error', words)} limit ${VALUES + 1}`);
  if (failed.length > 0)
    any.push(
      failed.length > VALUES ? sql`(error is not null and ${contains('error', words)})` : among('request_id', failed),
    );
  return any.length === 0 ? sql`1 = 0` : sql`(${sql.join(any, sql` or `)})`;
}

/** In whatever case. */
export const contains = (column: string, words: string): RawBuilder<unknown> =>
  sql`lower(${sql.ref(column)}) like ${`%${words.toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`} escape '!'`;

const among = (column: string, values: readonly string[]) => sql`${sql.ref(column)} in (${sql.join(values)})`;
