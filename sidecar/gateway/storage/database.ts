import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Fault } from '../../platform/faults.ts';
import { type Follower, followPostgres } from './follow.ts';
import { migrations } from './migrations.ts';
import { nodeSqliteDialect } from './sqliteDialect.ts';
import type { Tables } from './tables.ts';

export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly file: string }
  /** A connection string. It holds a password: it comes from a file, never from a command line. */
  | { readonly kind: 'postgres'; readonly url: string; readonly connections?: number };

export interface GatewayDatabase {
  readonly kind: DatabaseAddress['kind'];
  readonly db: Kysely<Tables>;
  /** Calls `heard` as soon as a replica wrote something; SQLite has no replicas. */
  follow(heard: () => void): Promise<Follower | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the gateway's database and brings it to the newest layout; replicas that start together wait for each other.
 * @throws {Fault} `unavailable` where it cannot be reached or opened, `unsupported_version` where a later version wrote it
 */
export async function openDatabase(address: DatabaseAddress): Promise<GatewayDatabase> {
  const db = new Kysely<Tables>({ dialect: await dialectOf(address) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(address.kind) },
    allowUnorderedMigrations: false,
  });
  const { error } = await migrator.migrateToLatest().catch((error: unknown) => ({ error }));
  if (error) {
    await db.destroy().catch(() => undefined);
    const isNewer = error instanceof Error && /corrupted migrations/.test(error.message);
    throw isNewer
      ? new Fault(
          'unsupported_version',
          'The database of the gateway was written by a later version. Update Switchboard.',
          {
            cause: error,
          },
        )
      : new Fault('unavailable', 'The database of the gateway cannot be opened. Its log tells why.', { cause: error });
  }
  return {
    kind: address.kind,
    db,
    follow: async (heard) => (address.kind === 'postgres' ? followPostgres(address.url, heard) : undefined),
    close: () => db.destroy(),
  };
}

async function dialectOf(address: DatabaseAddress) {
  if (address.kind === 'sqlite') {
    if (address.file !== ':memory:') mkdirSync(dirname(address.file), { recursive: true, mode: 0o700 });
    try {
      return nodeSqliteDialect(address.file);
    } catch (cause) {
      throw new Fault('unavailable', 'The database of the gateway cannot be opened. Its log tells why.', { cause });
    }
  }
  const { default: pg } = await import('pg');
  // Whole numbers come as numbers from both databases.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: address.url,
    max: address.connections ?? 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A connection that breaks while it idles is replaced at its next use; whoever uses one hears of it there.
  pool.on('error', () => undefined);
  return new PostgresDialect({ pool });
}
