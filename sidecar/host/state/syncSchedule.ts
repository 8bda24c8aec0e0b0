import type { HostStorage } from '../storage/hostStorage.ts';
import type { ChannelStates } from './channelStates.ts';

/**
 * How long what was written waits for the disk, where a commit does not wait itself. With the sync it stays below the second
 * that a power cut may cost.
 */
const SYNC_AFTER_MS = 400;

export interface SyncScheduleDeps {
  readonly storage: Pick<HostStorage, 'needsSync' | 'sync'>;
  readonly schedule: (work: () => void, delayMs: number) => void;
}

/** Makes what was written durable, soon after the first write of many. Nothing waits for it, and without writes it does nothing. */
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

  /** Tries to have everything in rows. */
  #areRows(): boolean {
    try {
      if (!this.#isStalled()) this.#channels.catchUp();
    } catch {
      // The rows are due soon, as they are wherever some wait: that reports it, and this only asks whether they are there.
    }
    return !this.#channels.isBehind;
  }
}
