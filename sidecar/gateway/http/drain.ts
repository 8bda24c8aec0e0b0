import { setTimeout as wait } from 'node:timers/promises';

/** A gateway that is about to leave still serves for a while, and says so to load balancers. */
export class Leaving {
  #isLeaving = false;

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /**
   * Says it from now on, and waits `forMs`: whoever sends calls here may have learned of this gateway, and learn that it leaves,
   * in other ways than by asking for its health.
   */
  async begin(forMs: number): Promise<void> {
    this.#isLeaving = true;
    if (forMs > 0) await wait(forMs);
  }
}
