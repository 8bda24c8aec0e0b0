import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { JOURNAL } from './journal.ts';
import { migrations } from './migrations.ts';
import { StorageFault, toStorageFault } from './storageFault.ts';

/** Files up to this size are checked before anyone connects (a few ms); larger ones by a worker, meanwhile. */
const CHECKED_AT_ONCE_BYTES = 4 * 1024 * 1024;
const DAMAGED_MARK = 'host.db.damaged';

export interface OpenedDatabase {
  readonly sql: DatabaseSync;
  /** The folder that holds what could not be used, when something was set aside. */
  readonly setAside?: string;
  /** True when the file is too large to be checked at once. */
  readonly checkLater: boolean;
}

/**
 * Opens `host.db` in `dataDir`, checks it and brings it to the newest layout. A damaged file is moved with its
 * `-wal`, `-shm` and journal to `set-aside/<time>/` and a fresh one is opened: what a person wrote is never overwritten.
 * @param time part of the folder's name; an RFC 3339 time
 * @throws {StorageFault} `newer` for a file of a later version, which stays as it is; when a fresh file cannot be opened either
 */
export function openDatabase(dataDir: string, time: string): OpenedDatabase {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'host.db');
  const isMarked = existsSync(join(dataDir, DAMAGED_MARK));
  const checkLater = existsSync(file) && statSync(file).size > CHECKED_AT_ONCE_BYTES;
  if (!isMarked) {
    try {
      return { sql: prepare(file, !checkLater), checkLater };
    } catch (thrown) {
      const fault = toStorageFault(thrown);
      if (fault.failure !== 'damaged') throw fault;
    }
  }
  const setAside = moveAside(dataDir, time);
  rmSync(join(dataDir, DAMAGED_MARK), { force: true });
  return { sql: prepare(file, false), setAside, checkLater: false };
}

/** Notes that the file turned out damaged while it was in use: the next start sets it aside. */
export function markDamaged(writeMark: (path: string) => void, dataDir: string): void {
  writeMark(join(dataDir, DAMAGED_MARK));
}

function prepare(file: string, check: boolean): DatabaseSync {
  const sql = new DatabaseSync(file);
  try {
    const version = Number(sql.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
    if (version > migrations.length) throw new StorageFault('newer');
    if (check && version > 0) {
      const verdict = sql.prepare('PRAGMA quick_check(1)').get();
      if (verdict?.['quick_check'] !== 'ok') throw new StorageFault('damaged');
    }
    // Checkpoints run in a worker: on this thread they would cost 3 to 10 ms now and then.
    sql.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000;',
    );
    sql.exec('PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY;');
    migrate(sql, version);
    return sql;
  } catch (thrown) {
    sql.close();
    throw thrown;
  }
}

function migrate(sql: DatabaseSync, from: number): void {
  for (let version = from; version < migrations.length; version += 1) {
    sql.exec(`BEGIN IMMEDIATE; ${migrations[version]} PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}

function moveAside(dataDir: string, time: string): string {
  const stamp = time.replaceAll(/[^0-9TZ]/g, '');
  let folder = join(dataDir, 'set-aside', stamp);
  for (let count = 2; existsSync(folder); count += 1) folder = join(dataDir, 'set-aside', `${stamp}-${count}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of ['host.db', 'host.db-wal', 'host.db-shm', JOURNAL]) {
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(folder, name));
  }
  return folder;
}
