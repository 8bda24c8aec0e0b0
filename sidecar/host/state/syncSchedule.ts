import type { HostStorage } from '../storage/hostStorage.ts';
import type { ChannelStates } from './channelStates.ts';

/**
 * How long after a write the next sync begins, if commits do not wait for the disk. Together with the sync's own time, this
 * stays below the one second that a power failure may undo.
 */
const SYNC_AFTER_MS = 400;

export interface SyncScheduleDeps {
  readonly storage: Pick<HostStorage, 'needsSync' | 'sync'>;
  readonly schedule: (work: () => void, delayMs: number) => void;
}

/** Syncs soon after the first of several writes. Nothing waits for it, and it does nothing without writes. */
export class SyncSchedule {
  readonly #deps: SyncScheduleDeps;
  readonly #channels: Pick<ChannelStates, 'catchUp' | 'isBehind' | 'synced'>;
  readonly #isStalled: () => boolean;
  #isSyncing = false;
  #isClosed = false;

  constructor(
    deps: SyncScheduleDeps,
    channels: Pick<ChannelStates, 'catchUp' | 'isBehind' | 'synced'>,
    isStalled: () => boolean,
  ) {
    this.#deps = deps;
    this.#channels = channels;
    this.#isStalled = isStalled;
  }

  /** Called after each write. */
  schedule(): void {
    if (this.#isSyncing || !this.#deps.storage.needsSync) return;
    this.#isSyncing = true;
    this.#deps.schedule(() => void this.#sync(), SYNC_AFTER_MS);
  }
  close(): void {
    this.#isClosed = true;
  }

  async #sync(): Promise<void> {
    if (this.#isClosed) return;
    const wereRows = this.#areRows();
    const isDone = await this.#deps.storage.sync();
    this.#isSyncing = false;
    if (this.#isClosed) return;
    if (isDone) this.#channels.synced(wereRows);
    this.schedule(); // for what was written meanwhile
  }

  /** Tries to write everything as rows. */
  #areRows(): boolean {
    try {
      if (!this.#isStalled()) this.#channels.catchUp();
    } catch {
      // The scheduled write of the rows reports failures. This only checks whether everything is in rows.
    }
    return !this.#channels.isBehind;
  }
}
