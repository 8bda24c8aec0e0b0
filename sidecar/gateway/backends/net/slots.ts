import { Fault } from '../../../platform/faults.ts';

/** At most so many at a time; the rest waits in line, up to a limit (`max_concurrent_requests`). */
export class Slots {
  readonly #max: number;
  readonly #maxWaiting: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(max: number, maxWaiting = 256) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * @returns gives the slot back; more than once does no harm
   * @throws {Fault} `unavailable` where the line is too long; the signal's reason where the caller left it
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken < this.#max) this.#taken += 1;
    else await this.#turn(signal); // the slot is handed over, so the count stays
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#handOver();
    };
  }

  #handOver(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new Fault('unavailable', 'Too many requests are waiting for this backend. Try again later.', {
        data: { reason: 'busy' },
      });
    }
    let onAbort: () => void = () => undefined;
    const turn = new Promise<void>((resolve, reject) => {
      onAbort = () => {
        this.#waiting.delete(resolve);
        reject(signal.reason as Error);
      };
      this.#waiting.add(resolve);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      await turn;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
