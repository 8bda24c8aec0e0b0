import { type Kysely, sql } from 'kysely';
import { layoutOf } from './layout.ts';
import type { Dialect } from './recordsMigration.ts';
import type { Tables } from './tables.ts';

/**
 * Migrates a database to the newest layout. Replicas that start together wait for each other. Almost every start finds the newest
 * layout, and checks this with one query instead of examining each table.
 *
 * @param last the migration to stop after, for data of an earlier version. Default: the newest
 * @throws if the database cannot be reached or was migrated by a later version
 */
export async function migrate(dialect: Dialect, db: Kysely<Tables>, last?: string): Promise<void> {
  const run = await migrationsIn(db);
  if (run && layoutOf(run) === 'current') return;
  await waitingLess(dialect, db, async () => {
    const [{ Migrator }, { migrations }] = await Promise.all([import('kysely/migration'), import('./migrations.ts')]);
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => migrations(dialect) },
      allowUnorderedMigrations: false,
    });
    const { error } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
    if (error !== undefined) throw error instanceof Error ? error : new Error('A migration failed.', { cause: error });
  });
}

/** Those that have run, in order. The query fails in a new database, and so does one that cannot be reached. */
export async function migrationsIn(db: Kysely<Tables>): Promise<readonly string[] | undefined> {
  const run = await sql<{ name: string }>`select name from kysely_migration order by name`
    .execute(db)
    .catch(() => undefined);
  return run?.rows.map((it) => it.name);
}

/** If a power failure undoes a migration, the next start repeats it, so no migration waits for the disk. */
async function waitingLess<T>(dialect: Dialect, db: Kysely<Tables>, work: () => Promise<T>): Promise<T> {
  if (dialect === 'postgres') return work();
  await sql`pragma synchronous = normal`.execute(db);
  try {
    return await work();
  } finally {
    await sql`pragma synchronous = full`.execute(db);
  }
}
