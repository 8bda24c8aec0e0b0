import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../platform/syncFolder.ts';

/** Tracks writes that did not wait for the disk, and makes them durable on another thread. */
export interface TimedSync {
  /** True if something was written for which no sync has begun, also by an earlier host. */
  readonly isNeeded: boolean;
  /** Called after each write that did not wait for the disk. */
  wrote(): void;
  /** Makes earlier writes durable. @returns false if the disk refused; that was reported, and a sync is still needed */
  sync(): Promise<boolean>;
  /** Waits for a sync in progress. */
  close(): Promise<void>;
}

/**
 * @param data the database's log and the journal, in one folder. They are opened each time, because an open handle would keep
 * Windows from deleting them
 */
export function openTimedSync(data: readonly [string, ...string[]], warn: (message: string) => void): TimedSync {
  let isNeeded = true; // a killed host may have left unsynced writes
  let areNamesDurable = false;
  let last: Promise<boolean> = Promise.resolve(true);

  async function syncAll(): Promise<boolean> {
    try {
      for (const file of data) await syncFile(file);
      // A file is lost if its contents are on the disk and its name is not.
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
