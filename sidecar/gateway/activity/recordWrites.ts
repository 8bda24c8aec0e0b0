import type { Runtime } from '../../platform/runtime.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { Contents } from './content/contents.ts';
import type { FlushQueue } from './flushQueue.ts';

/** The longest that a finished call waits to be written while the store answers: what a crash can lose. */
export const FLUSH_INTERVAL_MS = 500;
/**
 * When this many lines wait, they are written early. Fewer lines wait until the interval ends, so that a short burst of calls has the
 * processors to itself.
 */
export const EARLY_RECORDS = 10_000;
/** The same if requests and responses are stored. They wait with their records, and what exceeds the memory for them is not stored. */
const EARLY_CONTENTS = 2_000;
/** The lines that were written enter the log when no call has ended for this time. */
export const QUIET_MS = 200;
/** While the store is down each try waits twice as long as the one before, up to this. */
export const MAX_RETRY_MS = 10_000;

interface Deps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  readonly store: Pick<GatewayStore, 'activityWrites' | 'logLines'>;
  /** Written after the records that they belong to. */
  readonly contents?: Pick<Contents, 'write' | 'isEmpty'> | undefined;
}

/** Writes what is in the queue, batch by batch, one at a time; tries again while the store does not take it. */
export class RecordWrites {
  readonly #queue: FlushQueue;
  readonly #deps: Deps;
  readonly #early: number;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  /** Cancels the timer after which lines enter the log. */
  #cancelEntering: (() => void) | undefined;
  #failures = 0;
  #droppedReported = 0;

  constructor(queue: FlushQueue, deps: Deps) {
    this.#queue = queue;
    this.#deps = deps;
    this.#early = deps.contents ? EARLY_CONTENTS : EARLY_RECORDS;
  }

  /** Something was put into the queue. */
  wake(): void {
    if (this.#cancelEntering) this.#stopEntering();
    if (this.#cancel) return;
    const isFull = this.#queue.length >= this.#early && this.#failures === 0;
    const delayMs = Math.min(MAX_RETRY_MS, FLUSH_INTERVAL_MS * 2 ** this.#failures);
    this.#cancel = this.#deps.timers.after(isFull ? 0 : delayMs, () => void this.flush().catch(() => undefined));
  }

  /** A record was put into the queue. */
  added(): void {
    if (this.#queue.length === this.#early && this.#failures === 0) this.#stopTimer();
    this.wake();
  }

  /** Runs work while no batch is on its way. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running) await this.#running;
    const result = work();
    this.#running = result.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await result;
    } finally {
      this.#running = undefined;
    }
  }

  /** Writes what waits. @throws {Fault} `unavailable`; nothing is lost by it, and it is tried again */
  async flush(): Promise<void> {
    this.#stopTimer();
    try {
      await this.exclusively(() => this.#writeAll());
      this.#succeeded();
    } catch (thrown) {
      this.#failed(thrown);
      throw thrown;
    } finally {
      if (!this.#isEmpty) this.wake();
    }
    if (this.#isEmpty) this.#enterSoon();
  }

  /** Lets lines enter the log soon, unless a call ends before. */
  #enterSoon(): void {
    this.#stopEntering();
    this.#cancelEntering = this.#deps.timers.after(QUIET_MS, () => {
      this.#cancelEntering = undefined;
      this.exclusively(() => this.#deps.store.logLines.enterAll(() => this.#isEmpty)).catch((thrown: unknown) =>
        this.#deps.log.warn(
          { thrown },
          'Records of calls cannot be entered in the log yet. They are written, and the gateway will retry.',
        ),
      );
    });
  }

  #stopEntering(): void {
    this.#cancelEntering?.();
    this.#cancelEntering = undefined;
  }

  /** Writes everything. @throws {Fault} `unavailable` when the store does not take the last of it */
  async close(): Promise<void> {
    try {
      do await this.flush();
      while (!this.#isEmpty);
      await this.#deps.store.logLines.enterAll();
    } finally {
      this.#stopTimer();
      this.#stopEntering();
    }
  }

  get #isEmpty(): boolean {
    return this.#queue.isEmpty && (this.#deps.contents?.isEmpty ?? true);
  }

  /**
   * What waits now, in batches, between which others may use the store. Calls that end meanwhile wait for the next time, so that
   * batches stay large under load.
   */
  async #writeAll(): Promise<void> {
    const { clock, store, contents } = this.#deps;
    let left = this.#queue.length;
    do {
      const batch = this.#queue.next(clock.nowMs());
      if (!batch) break;
      await store.activityWrites.write(batch);
      this.#queue.done(batch);
      left -= batch.lines.length;
    } while (left > 0);
    if (contents && !contents.isEmpty) await contents.write();
  }

  #succeeded(): void {
    const lost = this.#queue.dropped - this.#droppedReported;
    const failures = this.#failures;
    if (failures > 0) this.#deps.log.info({ failures, lost }, 'Call records can be written again.');
    this.#failures = 0;
    this.#droppedReported = this.#queue.dropped;
  }

  #failed(thrown: unknown): void {
    const { log } = this.#deps;
    const { dropped, length: queued } = this.#queue;
    this.#failures += 1;
    if (this.#failures === 1)
      log.error(
        { thrown, queued },
        'Call records cannot be written. They are being kept in memory, and the gateway will retry.',
      );
    if (dropped > this.#droppedReported)
      log.warn({ dropped }, 'The oldest call records were dropped, but their totals were kept.');
    this.#droppedReported = dropped;
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
