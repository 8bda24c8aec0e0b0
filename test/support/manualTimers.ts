import { systemTimers, type Timers } from '../../sidecar/platform/timers.ts';
import { later } from './later.ts';

/** Timers that a test lets pass. Those of a second and less, which only gather what belongs together, run by themselves. */
export class ManualTimers implements Timers {
  readonly #waiting = new Set<{ work: () => void; delayMs: number }>();
  readonly #running = new Set<NodeJS.Timeout>();

  readonly every = systemTimers.every;
  readonly soon = systemTimers.soon;
  readonly wait = systemTimers.wait;
  readonly deadline = systemTimers.deadline;

  readonly after = (delayMs: number, work: () => void): (() => void) => {
    if (delayMs <= 1_000) {
      const timer = setTimeout(() => {
        this.#running.delete(timer);
        work();
      }, delayMs);
      this.#running.add(timer);
      return () => {
        this.#running.delete(timer);
        clearTimeout(timer);
      };
    }
    const entry = { work, delayMs };
    this.#waiting.add(entry);
    return () => void this.#waiting.delete(entry);
  };

  /** Whether something waits for exactly so long. */
  has(delayMs: number): boolean {
    return this.count(delayMs) > 0;
  }

  /** How many wait for exactly so long. */
  count(delayMs: number): number {
    return [...this.#waiting].filter((it) => it.delayMs === delayMs).length;
  }

  /** Everything that waits for exactly so long is due. */
  pass(delayMs: number): void {
    for (const it of [...this.#waiting]) {
      if (it.delayMs !== delayMs || !this.#waiting.delete(it)) continue;
      it.work();
    }
  }

  close(): void {
    for (const it of this.#running) clearTimeout(it);
    this.#waiting.clear();
  }
}

/** No time passes, and nothing is due. */
export const stillTimers: Timers = {
  after: () => () => undefined,
  every: () => () => undefined,
  soon: () => () => undefined,
  wait: () => later<never>().promise,
  deadline: () => new AbortController().signal,
};
