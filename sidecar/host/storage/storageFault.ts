/** Why the disk refused. `newer` is a file of a later version, `failed` anything that has no name of its own here. */
export type StorageFailure =
  | 'full'
  | 'tooLarge'
  | 'readOnly'
  | 'disk'
  | 'busy'
  | 'constraint'
  | 'damaged'
  | 'newer'
  | 'failed';

/** For people, in the middle of a sentence. */
export const failureReasons: Readonly<Record<StorageFailure, string>> = {
  full: 'there is no space left on the disk',
  tooLarge: "a file would exceed the system's file size limit",
  readOnly: 'the database is read-only',
  disk: 'the disk reported an error',
  busy: 'another program has locked the database',
  constraint: 'the database rejected a row',
  damaged: 'the database is damaged',
  newer: 'the database was written by a later version',
  failed: 'the database could not be written',
};

/** A failed read or write of `host.db` or its journal. The cause stays in the log. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  readonly failure: StorageFailure;

  constructor(failure: StorageFailure, cause?: unknown) {
    const remedy = failure === 'newer' ? '. Update Switchboard' : '';
    super(`the database could not be used: ${failureReasons[failure]}${remedy}`, { cause });
    this.failure = failure;
  }
}

/** By primary result code of SQLite (https://sqlite.org/rescode.html). */
const ofSqlite: Readonly<Record<number, StorageFailure>> = {
  5: 'busy',
  6: 'busy',
  8: 'readOnly',
  10: 'disk',
  11: 'damaged',
  13: 'full',
  18: 'tooLarge',
  19: 'constraint',
  26: 'damaged',
};
/** By name of the system's error. */
const ofSystem: Readonly<Record<string, StorageFailure>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'tooLarge',
  EROFS: 'readOnly',
  EACCES: 'readOnly',
  EPERM: 'readOnly',
  EIO: 'disk',
};

/** Names what was thrown by SQLite or the system. */
export function toStorageFault(thrown: unknown): StorageFault {
  if (thrown instanceof StorageFault) return thrown;
  const { errcode, code } = (thrown instanceof Error ? thrown : {}) as { errcode?: unknown; code?: unknown };
  const failure = typeof errcode === 'number' ? ofSqlite[errcode & 0xff] : ofSystem[String(code)];
  return new StorageFault(failure ?? 'failed', thrown);
}
