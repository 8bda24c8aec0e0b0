import { mkdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { type Dialect, Kysely, PostgresDialect } from 'kysely';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { type Follower, followPostgres } from './follow.ts';
import { migrate } from './migrate.ts';
import { nodeSqliteDialect } from './sqliteDialect.ts';
import { openSqliteThread, type SqliteThread } from './sqliteThread.ts';
import type { Tables } from './tables.ts';

export type DatabaseAddress =
  | {
      readonly kind: 'sqlite';
      readonly file: string;
      /** Of this file, and begun before: it starts beside other work. */
      readonly thread?: SqliteThread;
    }
  /** A connection string. It holds a password: it comes from a file, never from a command line. */
  | {
      readonly kind: 'postgres';
      readonly url: string;
      readonly connections?: number;
      /** After so long without a byte of an answer a connection is given up. Default {@link STALL_MS}. */
      readonly stallMs?: number;
    };

/** A server that went away without a word holds its connections for a quarter of an hour, and with them every caller. */
export const STALL_MS = 30_000;

/** Connections of this process, and who waits for one. */
export interface PoolStanding {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface GatewayDatabase {
  readonly kind: DatabaseAddress['kind'];
  readonly db: Kysely<Tables>;
  /** For reads of many rows: neither a call nor a write waits for them. What was committed before is seen. */
  readonly reports: Kysely<Tables>;
  /**
   * Calls `onNotified` as soon as a replica wrote something; SQLite has no replicas.
   *
   * @param onNotified gets the ID of the replica concerned, '' for all, or `undefined` if notifications may have been missed
   */
  follow(onNotified: (about: string | undefined) => void, timers: Pick<Timers, 'after'>): Promise<Follower | undefined>;
  /** Of PostgreSQL's pool; `undefined` for SQLite, which has none. */
  pool(): PoolStanding | undefined;
  close(): Promise<void>;
}

/**
 * Opens the gateway's database and brings it to the newest layout; replicas that start together wait for each other.
 * @throws {Fault} `unavailable` where it cannot be reached or opened, `unsupported_version` where a later version wrote it
 */
export async function openDatabase(address: DatabaseAddress): Promise<GatewayDatabase> {
  let isClosed = false;
  let isMigrating = true;
  const { dialect, reportsDialect, pool } = await dialectsOf(
    address,
    () => isClosed,
    () => isMigrating,
  );
  const db = new Kysely<Tables>({ dialect });
  const reports = reportsDialect ? new Kysely<Tables>({ dialect: reportsDialect }) : db;
  const error = await migrate(address.kind, db).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error) {
    await db.destroy().catch(() => undefined);
    const isNewer = error instanceof Error && /corrupted migrations/.test(error.message);
    throw isNewer
      ? new Fault('unsupported_version', 'The gateway database was written by a later version. Update Switchboard.', {
          cause: error,
        })
      : new Fault('unavailable', 'The gateway database cannot be opened. See the gateway log for the reason.', {
          cause: error,
        });
  }
  isMigrating = false;
  return {
    kind: address.kind,
    db,
    reports,
    follow: async (onNotified, timers) =>
      address.kind === 'postgres' ? followPostgres(address.url, onNotified, timers) : undefined,
    pool,
    async close() {
      isClosed = true;
      if (reports !== db) await reports.destroy();
      await db.destroy();
    },
  };
}

/** A database as it is, for upkeep: nothing is migrated, and nothing is made where `isReader` is set. */
export async function connectDatabase(
  address: DatabaseAddress,
  { isReader }: { readonly isReader: boolean },
): Promise<{ readonly db: Kysely<Tables>; close(): Promise<void> }> {
  const { dialect, reportsDialect } = await dialectsOf(
    address,
    () => false,
    () => true,
  );
  const db = new Kysely<Tables>({ dialect: isReader ? (reportsDialect ?? dialect) : dialect });
  return { db, close: () => db.destroy() };
}

/** SQLite's writer and reader do not wait for each other; PostgreSQL's pool serves both. */
async function dialectsOf(
  address: DatabaseAddress,
  isClosed: () => boolean,
  /** A change of a large layout takes as long as it takes. */
  isMigrating: () => boolean,
): Promise<{ readonly dialect: Dialect; readonly reportsDialect?: Dialect } & Pick<GatewayDatabase, 'pool'>> {
  if (address.kind === 'sqlite') {
    const { file } = address;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const opening = (readOnly: boolean) => () => {
      if (isClosed()) throw new Error('The database was closed.');
      return openSqliteThread(file, { readOnly });
    };
    let { thread } = address;
    const first = () => {
      const begun = thread;
      thread = undefined;
      return begun ?? opening(false)();
    };
    return {
      dialect: nodeSqliteDialect(first),
      reportsDialect: nodeSqliteDialect(opening(true)),
      pool: () => undefined,
    };
  }
  const { default: pg } = await import('pg');
  // Whole numbers come as numbers from both databases.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: address.url,
    max: address.connections ?? 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    stream: () => {
      // The pool closes idle ones long before: somebody waits for this one.
      const socket = new Socket().setTimeout(address.stallMs ?? STALL_MS);
      return socket.on('timeout', () => {
        if (!isMigrating()) socket.destroy(new Error('The database is not responding.'));
      });
    },
  });
  // A connection that breaks while it idles is replaced at its next use; whoever uses one gets the error there.
  pool.on('error', () => undefined);
  // One that breaks in the middle of a query reports it twice: to whoever asked, and as an event that must have a listener.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return {
    dialect: new PostgresDialect({ pool }),
    pool: () => ({ busy: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}
