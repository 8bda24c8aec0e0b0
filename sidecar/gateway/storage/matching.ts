import { type RawBuilder, sql } from 'kysely';

/** Texts with these words, in whatever case. */
export const contains = (column: string, words: string) => matches(column, `%${escaped(words)}%`);

/** Texts that begin with these words, in whatever case. */
export const begins = (column: string, words: string) => matches(column, `${escaped(words)}%`);

/** The database changes the case of both: SQLite does so for ASCII letters only. */
const matches = (column: string, pattern: string): RawBuilder<boolean> =>
  sql`lower(${sql.ref(column)}) like lower(${pattern}) escape '!'`;

const escaped = (words: string) => words.replaceAll(/[!%_]/g, '!$&');
