import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { contains } from '../matching.ts';

/** Values of one column that are looked up one by one; words that are in more of them find the lines as they come. */
const VALUES = 200;
const searched = ['model', 'endpoint', 'end_user'] as const;
const LAST_CHARACTER = '\u{10FFFF}';

/** Which lines may be found otherwise than by their ids, as conditions on lines and as days of the sums. */
export interface SearchedRange {
  readonly lines: RawBuilder<unknown>;
  readonly days: RawBuilder<unknown>;
  /** Of the lines in question: ids are looked for in all of them. */
  readonly isPart?: boolean;
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
  const ids = await searchedIds(db, isShared, words);
  const others = await searchedTexts(db, words, range);
  if (range.isPart !== true && others === undefined) return undefined;
  const rest = others === undefined ? [] : others.length === 0 ? [sql`1 = 0`] : [sql`(${sql.join(others, sql` or `)})`];
  const found = range.isPart === true ? sql`(${sql.join([range.lines, ...rest], sql` and `)})` : sql.join(rest);
  return sql`(${sql.join([...ids, found], sql` or `)})`;
}

/** @returns any of them is true of a line that has the words; `undefined` where every line has them */
async function searchedTexts(
  db: Kysely<Tables>,
  words: string,
  range: SearchedRange,
): Promise<RawBuilder<unknown>[] | undefined> {
  const any: RawBuilder<unknown>[] = [];
  const known = await knownValues(db, words, range);
  for (const name of searched) {
    const found = known.filter((it) => it.name === name && it.has_words === 1).map((it) => it.value);
    if (found.length === 0) continue;
    if (!known.some((it) => it.name === name && it.has_words === 0)) return undefined;
    any.push(found.length > VALUES ? contains(name, words) : among(name, found));
  }
  const failed = await valuesOf(
    db,
    sql`select request_id as value from spend_logs
    where error is not null and ${range.lines} and ${contains('error', words)} limit ${VALUES + 1}`,
  );
  if (failed.length > 0)
    any.push(
      failed.length > VALUES ? sql`(error is not null and ${contains('error', words)})` : among('request_id', failed),
    );
  return any;
}

async function searchedIds(db: Kysely<Tables>, isShared: boolean, words: string): Promise<RawBuilder<unknown>[]> {
  const any: RawBuilder<unknown>[] = [];
  for (const name of ['request_id', 'session_id']) {
    const text = isShared ? sql`${sql.ref(name)} collate "C"` : sql.ref(name);
    const begins = sql`(${text} >= ${words} and ${text} < ${words + LAST_CHARACTER})`;
    const found = await valuesOf(
      db,
      sql`select distinct ${sql.ref(name)} as value from spend_logs
      where ${begins} limit ${VALUES + 1}`,
    );
    if (found.length > 0) any.push(found.length > VALUES ? begins : among(name, found));
  }
  return any;
}

async function valuesOf(db: Kysely<Tables>, found: RawBuilder<{ readonly value: string }>): Promise<readonly string[]> {
  return (await found.execute(db)).rows.map((it) => it.value);
}

interface KnownValue {
  readonly name: string;
  readonly value: string;
  readonly has_words: number;
}

/** Values that have the words, and one of each column that has not. A day has many sums of few values: they are read once. */
async function knownValues(db: Kysely<Tables>, words: string, range: SearchedRange): Promise<readonly KnownValue[]> {
  const columns = sql.join(searched.map((it) => sql.ref(it)));
  const picks = searched.flatMap((name) => {
    const has = contains(name, words);
    const value = sql`${sql.lit(name)} as name, ${sql.ref(name)} as value`;
    return [
      sql`select * from (select distinct ${value}, 1 as has_words from kinds where ${has} limit ${VALUES + 1}) as found`,
      sql`select * from (select ${value}, 0 as has_words from kinds where not ${has} limit 1) as others`,
    ];
  });
  const found = sql<KnownValue>`with kinds as materialized
    (select distinct ${columns} from daily_activity where ${range.days}) ${sql.join(picks, sql` union all `)}`;
  return (await found.execute(db)).rows;
}

const among = (column: string, values: readonly string[]) => sql`${sql.ref(column)} in (${sql.join(values)})`;
