import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../platform/syncFolder.ts';

/** What was written without waiting for the disk, and makes it durable beside the thread that serves clients. */
export interface TimedSync {
  /** True while something was written that no sync has begun for, by an earlier host too. */
  readonly isNeeded: boolean;
  /** Called after each write that did not wait for the disk. */
  wrote(): void;
  /** Makes durable what was written before. @returns false where the disk refused, which was reported; it is still needed */
  sync(): Promise<boolean>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/**
 * @param data the log of the database and the journal, all in one folder. They are opened anew each time: a handle that
 * stays open would keep Windows from deleting them
 */
export function openTimedSync(data: readonly [string, ...string[]], warn: (message: string) => void): TimedSync {
  let isNeeded = true; // a host that was killed may have left some
  let areNamesDurable = false;
  let last: Promise<boolean> = Promise.resolve(true);

  async function syncAll(): Promise<boolean> {
    try {
      for (const file of data) await syncFile(file);
      // A file that the disk has counts for nothing while its name is not there.
      if (!areNamesDurable) await syncFolder(dirname(data[0]));
      if (!areNamesDurable) await syncFolder(dirname(dirname(data[0])));
      areNamesDurable = true;
      return true;
    } catch (thrown) {
      isNeeded = true;
      warn(`what was written could not be synced: ${String(thrown)}`);
      return false;
    }
  }

  return {
    get isNeeded() {
      return isNeeded;
    },
    wrote: () => void (isNeeded = true),
    sync() {
      isNeeded = false;
      last = last.then(syncAll);
      return last;
    },
    async close() {
      await last;
    },
  };
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
