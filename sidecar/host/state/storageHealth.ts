import { failureReasons, type StorageFailure, type StorageFault } from '../storage/storageFault.ts';

const RETRY_MS = 1_000;

/**
 * Whether the disk takes what is written, and who waits for it. Everything is tried again, whatever the reason: most go away
 * without the host (space, a limit, another program).
 */
export class StorageHealth {
  /** Told when something could not be written, and `undefined` when something could again. */
  readonly #tell: (fault: StorageFault | undefined) => void;
  #failure: StorageFailure = 'failed';
  #isThere = false;
  #waiting: (() => void)[] = [];

  constructor(tell: (fault: StorageFault | undefined) => void) {
    this.#tell = tell;
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
    this.#tell(fault);
  }

  /** The disk takes rows. */
  end(): void {
    if (!this.#isThere) return;
    this.#isThere = false;
    this.#tell(undefined);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  whenOver(): Promise<void> {
    if (!this.#isThere) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}
