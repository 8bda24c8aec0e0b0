import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Kysely, sql, type Transaction } from 'kysely';
import { Fault } from '../../../platform/faults.ts';
import { layoutOf } from '../database/layout.ts';
import { migrationsIn } from '../database/migrate.ts';
import type { Dialect } from '../database/recordsMigration.ts';
import type { Tables } from '../database/tables.ts';
import type { BackupHead } from './format.ts';
import { type KeptTable, keptNames, keptTables } from './keptTables.ts';

/** Rows that are in memory at a time. */
const PAGE_ROWS = 1_000;

export interface BackupOptions {
  readonly dialect: Dialect;
  readonly db: Kysely<Tables>;
  /** Absolute. Nobody else can read it. */
  readonly file: string;
  readonly version: string;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/**
 * Writes all rows as they are at one moment, because one transaction reads them. Nobody waits for it.
 * @returns the number of rows of each table
 * @throws {Fault} `already_exists`, `not_found` for a database without data, `unsupported_version` for another layout
 */
export async function writeBackup({ dialect, db, file, version, at }: BackupOptions): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  const start = db.transaction().setAccessMode('read only');
  const begun = dialect === 'postgres' ? start.setIsolationLevel('repeatable read') : start;
  await begun.execute(async (transaction) => {
    const head: BackupHead = {
      switchboard: 'gateway backup',
      format: 1,
      version,
      at,
      migrations: [...(await ownMigrations(transaction))],
    };
    async function* lines() {
      yield `${JSON.stringify(head)}\n`;
      for (const table of keptNames) {
        let count = 0;
        for await (const page of pagesOf(transaction, table)) {
          count += page.length;
          yield page.map((row) => `${JSON.stringify([table, row])}\n`).join('');
        }
        rows[table] = count;
      }
      yield `${JSON.stringify({ rows })}\n`;
    }
    await writeNew(file, lines());
  });
  return rows;
}

/** The tables are those of this version, or they would not all be found. */
async function ownMigrations(db: Transaction<Tables>): Promise<readonly string[]> {
  const run = await migrationsIn(db);
  if (run === undefined) throw new Fault('not_found', 'The database contains no gateway data.');
  const layout = layoutOf(run);
  if (layout === 'current') return run;
  throw new Fault(
    'unsupported_version',
    layout === 'later'
      ? 'The gateway database was written by a later version. Update Switchboard.'
      : 'The gateway database was written by an earlier version. Use that version for the backup, or start the gateway once to migrate it.',
  );
}

type Row = Readonly<Record<string, unknown>>;

/** In the order of the primary key, from behind the last row of each page. */
async function* pagesOf(db: Transaction<Tables>, table: KeptTable): AsyncGenerator<readonly Row[]> {
  const columns: readonly string[] = keptTables[table];
  const key = sql.join(columns.map((it) => sql.ref(it)));
  let last: Row | undefined;
  for (;;) {
    const after = last && sql`where (${key}) > (${sql.join(columns.map((it) => last?.[it]))})`;
    const page =
      await sql<Row>`select * from ${sql.table(table)} ${after ?? sql``} order by ${key} limit ${sql.lit(PAGE_ROWS)}`.execute(
        db,
      );
    if (page.rows.length > 0) yield page.rows;
    if (page.rows.length < PAGE_ROWS) return;
    last = page.rows.at(-1);
  }
}

/** What was begun and failed is removed; what was there before stays. */
async function writeNew(file: string, lines: AsyncIterable<string>): Promise<void> {
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
  try {
    await pipeline(Readable.from(lines), createGzip(), target);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')
      throw new Fault('already_exists', 'The backup file already exists. Choose another name.', { cause: thrown });
    await rm(file, { force: true });
    throw thrown;
  }
}
