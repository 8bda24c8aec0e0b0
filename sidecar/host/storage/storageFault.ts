/** Why the disk refused: no space, a damaged file, a file of a later version, or anything else. */
export type StorageFailure = 'full' | 'damaged' | 'newer' | 'failed';

/** A failed read or write of `host.db`. The cause stays in the log. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  readonly failure: StorageFailure;

  constructor(failure: StorageFailure, cause?: unknown) {
    super(`the database could not be used: ${failure}`, { cause });
    this.failure = failure;
  }
}

const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** Tells the few failures that the host can do something about from all others. */
export function toStorageFault(thrown: unknown): StorageFault {
  if (thrown instanceof StorageFault) return thrown;
  const code =
    thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : 0;
  if (code === SQLITE_FULL) return new StorageFault('full', thrown);
  return new StorageFault(code === SQLITE_CORRUPT || code === SQLITE_NOTADB ? 'damaged' : 'failed', thrown);
}
