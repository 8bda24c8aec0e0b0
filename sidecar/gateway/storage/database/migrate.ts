import { type Kysely, sql } from 'kysely';
import { migrations } from './migrations.ts';
import type { Dialect } from './recordsMigration.ts';
import type { Tables } from './tables.ts';

/**
 * Migrates a database to the newest layout. Replicas that start together wait for each other. Almost every start finds the newest
 * layout, and checks this with one query instead of examining each table.
 *
 * @throws if the database cannot be reached or was migrated by a later version
 */
export async function migrate(dialect: Dialect, db: Kysely<Tables>): Promise<void> {
  const known = migrations(dialect);
  if (await hasRun(db, Object.keys(known))) return;
  await waitingLess(dialect, db, async () => {
    const { Migrator } = await import('kysely/migration');
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => known },
      allowUnorderedMigrations: false,
    });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error instanceof Error ? error : new Error('A migration failed.', { cause: error });
  });
}

/** Whether exactly these migrations have run. The query fails in a new database. The migrator reports any other error. */
async function hasRun(db: Kysely<Tables>, names: readonly string[]): Promise<boolean> {
  const run = await sql<{ name: string }>`select name from kysely_migration order by name`
    .execute(db)
    .catch(() => undefined);
  return run !== undefined && run.rows.length === names.length && run.rows.every((it, at) => it.name === names[at]);
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
