import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import { ListsOf } from '../database/sqliteThread.ts';
import type { Tables } from '../database/tables.ts';
import { type CallLines, columns, names } from './spendLogRow.ts';

/** Writes lines into the log. @returns the positions of those whose id was there before: of two with one id, the second */
type InsertLines<Lines> = (transaction: Transaction<Tables>, lines: Lines) => Promise<readonly number[]>;

/** One statement that the database's thread runs for each line of a row of `incoming_lines`, which is named by its `seq`. */
export function insertSqlite(db: Kysely<Tables>): InsertLines<number> {
  const marks = sql.join(names.map(() => sql.raw('?')));
  const { sql: text } = sql`insert into spend_logs (${columnList()}) values (${marks})
    on conflict (request_id) do nothing`.compile(db);
  return async (transaction, seq) => {
    const lists = new ListsOf('select lists, shared from incoming_lines where seq = ?', [seq]);
    const { rows: known } = await transaction.executeQuery<{ at: number }>(CompiledQuery.raw(text, [lists]));
    return known.map(({ at }) => at);
  };
}

/** One value for all lines: the statement stays the same, however many there are. */
export function insertPostgres(): InsertLines<CallLines> {
  const picks = sql.join(names.map((name, at) => sql`(v ->> ${sql.lit(at)})::${sql.raw(columns[name])}`));
  return async (transaction, lines) => {
    const whole = lines.own.map((_, at) => lines.whole(at));
    const { rows: inserted } = await sql<{ request_id: string }>`insert into spend_logs (${columnList()})
      select ${picks} from json_array_elements(${`[${whole.join(',')}]`}::json) as v
      on conflict (request_id) do nothing returning request_id`.execute(transaction);
    if (inserted.length === lines.length) return [];
    const ids = new Set(inserted.map((it) => it.request_id));
    return [...lines.own.keys()].filter((at) => !ids.delete(lines.read(at).request_id));
  };
}

const columnList = () => sql.join(names.map((it) => sql.ref(it)));
