import { DatabaseSync } from 'node:sqlite';
import { dataFiles } from '../dataDir.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';

const SQLITE_BUSY = 5;

export interface HostLock {
  release(): void;
}

/**
 * One host for each data directory: an exclusive lock on a database of its own, which the system frees with the process,
 * however that ends. Apart from the data, so that a worker can checkpoint those.
 * @returns undefined when another host holds it
 * @throws {LaunchFailure} `badFolder` when the file cannot be opened at all
 */
export function acquireHostLock(dataDir: string): HostLock | undefined {
  const file = dataFiles.lock(dataDir);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    const held = db;
    return { release: () => held.close() };
  } catch (thrown) {
    db?.close();
    if ((thrown as { errcode?: unknown }).errcode === SQLITE_BUSY) return undefined;
    throw new LaunchFailure(exitCodes.badFolder, `Switchboard cannot lock ${file}: ${reasonOf(thrown)}.`, thrown);
  }
}
