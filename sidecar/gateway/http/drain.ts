import type { Timers } from '../../platform/timers.ts';

/** A gateway that is about to leave still serves for a while, and says so to load balancers. */
export class Drain {
  readonly #timers: Pick<Timers, 'wait'>;
  #isLeaving = false;

  constructor(timers: Pick<Timers, 'wait'>) {
    this.#timers = timers;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /**
   * Says it from now on, and waits `forMs`: whoever sends calls here may have learned of this gateway, and learn that it leaves,
   * in other ways than by asking for its health.
   */
  async begin(forMs: number): Promise<void> {
    this.#isLeaving = true;
    if (forMs > 0) await this.#timers.wait(forMs);
  }
}

/** @param status of `/healthz`, `/readyz`, or `/livez`. Everything but `ok` is a 503. */
export function healthAnswer(status: 'ok' | 'leaving' | 'no_db_connection', version: string): Response {
  const headers = { 'cache-control': 'no-store' };
  return Response.json({ status, version }, { status: status === 'ok' ? 200 : 503, headers });
}
