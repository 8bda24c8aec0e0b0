import type { Timers } from './timers.ts';

/** Timers that end together: with what was built on them. */
export class PendingTimers implements Timers {
  readonly #timers: Timers;
  readonly #stops = new Set<() => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  readonly after = (delayMs: number, work: () => void): (() => void) => {
    const stopTimer = this.#timers.after(delayMs, () => {
      this.#stops.delete(stop);
      work();
    });
    const stop = this.#keep(stopTimer);
    return stop;
  };
  readonly every = (periodMs: number, work: () => void): (() => void) => this.#keep(this.#timers.every(periodMs, work));
  readonly soon = (work: () => void): (() => void) => this.#timers.soon(work);
  readonly wait = (delayMs: number, signal?: AbortSignal): Promise<void> => this.#timers.wait(delayMs, signal);
  readonly deadline = (delayMs: number): AbortSignal => this.#timers.deadline(delayMs);

  /** Stops those that have not run. */
  close(): void {
    for (const stop of [...this.#stops]) stop();
  }

  #keep(stopTimer: () => void): () => void {
    const stop = (): void => {
      this.#stops.delete(stop);
      stopTimer();
    };
    this.#stops.add(stop);
    return stop;
  }
}
