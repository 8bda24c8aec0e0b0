import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely';
import { Fault } from '../../../platform/faults.ts';
import { parsedJson } from '../../../platform/json.ts';
import { layoutOf } from '../database/layout.ts';
import { migrate, migrationsIn } from '../database/migrate.ts';
import type { Dialect } from '../database/recordsMigration.ts';
import type { Tables } from '../database/tables.ts';
import { BackupEnd, BackupHead, BackupRow } from './format.ts';
import { isKept, type KeptTable, keptNames } from './keptTables.ts';

/** Of one statement: less than its limit of parameters, whichever table it is. */
const ROWS_AT_ONCE = 500;

/**
 * Fills an empty database from a backup, all of it or nothing, and brings it to the newest layout.
 * @returns the number of rows of each table
 * @throws {Fault} `conflict`, `internal` for a damaged file, `unsupported_version`
 */
export async function readBackup(dialect: Dialect, db: Kysely<Tables>, file: string): Promise<Record<string, number>> {
  const lines = linesOf(file);
  const { value: first } = await lines.next();
  const head = BackupHead.safeParse(parsedJson(first ?? '')).data;
  if (!head) throw damaged('It does not start like a gateway backup.');
  const last = lastMigration(head);
  await refuseFull(db);
  await migrate(dialect, db, last);
  const counts = await db.transaction().execute((transaction) => fill(transaction, lines));
  await migrate(dialect, db);
  return counts;
}

async function* linesOf(file: string): AsyncGenerator<string, undefined> {
  const bytes = createReadStream(file);
  const unpacked = bytes.pipe(createGunzip()).setEncoding('utf8');
  // A pipe does not hand on what breaks at its beginning.
  bytes.on('error', (thrown) => unpacked.destroy(thrown));
  try {
    let rest = '';
    for await (const chunk of unpacked) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    if (code === 'ENOENT') throw new Fault('not_found', 'The backup file does not exist.', { cause: thrown });
    if (/^Z_|^ERR_/.test(code)) throw damaged('It is not compressed with gzip, or part of it is missing.', thrown);
    throw new Fault('unavailable', `The backup file cannot be read (${code}).`, { cause: thrown });
  } finally {
    bytes.destroy();
  }
  return undefined;
}

function lastMigration({ migrations }: BackupHead): string {
  if (layoutOf(migrations) !== 'later') return migrations.at(-1) ?? '';
  throw new Fault('unsupported_version', 'The backup was written by a later version. Update Switchboard.');
}

async function refuseFull(db: Kysely<Tables>): Promise<void> {
  if ((await migrationsIn(db)) === undefined) return;
  for (const table of keptNames) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db).catch(() => ({ rows: [] }));
    if (rows.length > 0)
      throw new Fault('conflict', 'The database is not empty. Restore the backup to a new database or data directory.');
  }
}

async function fill(db: Transaction<Tables>, lines: AsyncGenerator<string>): Promise<Record<string, number>> {
  const counts: Record<string, number> = Object.fromEntries(keptNames.map((it) => [it, 0]));
  let waiting: { readonly table: KeptTable; readonly rows: object[] } | undefined;
  const insert = async () => {
    if (!waiting) return;
    const { table, rows } = waiting;
    waiting = undefined;
    counts[table] = (counts[table] ?? 0) + rows.length;
    // Whether the row fits the table is for the database to say.
    await db
      .insertInto(table)
      .values(rows as Insertable<Tables[KeptTable]>[])
      .execute()
      .catch((thrown: unknown) => {
        throw damaged(`The rows of ${table} do not match its columns.`, thrown);
      });
  };
  for await (const line of lines) {
    const value = parsedJson(line);
    const end = BackupEnd.safeParse(value).data;
    if (end) {
      await insert();
      const isWhole = keptNames.every((it) => counts[it] === (end.rows[it] ?? 0));
      if (!isWhole) throw damaged('Rows are missing.');
      return counts;
    }
    const [table, row] = BackupRow.safeParse(value).data ?? [];
    if (table === undefined || row === undefined || !isKept(table)) throw damaged('A line is not a row.');
    if (waiting?.table !== table || waiting.rows.length === ROWS_AT_ONCE) await insert();
    waiting ??= { table, rows: [] };
    waiting.rows.push(row);
  }
  throw damaged('Its end is missing.');
}

const damaged = (why: string, cause?: unknown) =>
  new Fault('internal', `The backup file is damaged. ${why} Nothing was restored.`, { cause });
