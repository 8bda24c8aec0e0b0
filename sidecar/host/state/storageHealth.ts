import { failureReasons, type StorageFailure, type StorageFault } from '../storage/storageFault.ts';

const RETRY_MS = 1_000;

/**
 * Whether the disk takes what is written, and who waits for it. Everything is tried again, whatever the reason: most go away
 * without the host (space, a limit, another program).
 */
export class StorageHealth {
  /** Called with the fault when a write failed, and with `undefined` when one succeeded again. */
  readonly #onChanged: (fault: StorageFault | undefined) => void;
  #failure: StorageFailure = 'failed';
  #isThere = false;
  #waiting: (() => void)[] = [];

  constructor(onChanged: (fault: StorageFault | undefined) => void) {
    this.#onChanged = onChanged;
  }

  get isThere(): boolean {
    return this.#isThere;
  }
  /** How long to wait before the next write. */
  get delayMs(): number {
    return this.#isThere ? RETRY_MS : 0;
  }
  /** Of the last failure, for people. */
  get failureReason(): string {
    return `not saved: ${failureReasons[this.#failure]}`;
  }

  begin(fault: StorageFault): void {
    this.#isThere = true;
    this.#failure = fault.failure;
    this.#onChanged(fault);
  }

  /** The disk takes rows. */
  end(): void {
    if (!this.#isThere) return;
    this.#isThere = false;
    this.#onChanged(undefined);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  whenOver(): Promise<void> {
    if (!this.#isThere) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}
