import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';

/** Whoever looked at the health so lately looks again. */
const WATCHED_MS = 60_000;

/** A gateway that is about to leave still serves for a while, and says so to load balancers. */
export class Leaving {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isLeaving = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Somebody asked for the health. */
  looked(): void {
    this.#lookedMs = this.#clock.monotonicMs();
  }

  /** Says it from now on. Waits `forMs`, if there is somebody who looks. */
  async begin(forMs: number): Promise<void> {
    this.#isLeaving = true;
    if (forMs > 0 && this.#clock.monotonicMs() - this.#lookedMs <= WATCHED_MS) await wait(forMs);
  }
}
