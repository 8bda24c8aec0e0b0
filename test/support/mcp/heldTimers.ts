import { systemTimers, type Timers } from '../../../sidecar/platform/timers.ts';

/** Timers of which none is due until a test says so. */
export class HeldTimers implements Timers {
  readonly #held = new Set<{ readonly delayMs: number; readonly work: () => void; readonly kind: keyof Timers }>();

  readonly soon = systemTimers.soon;
  readonly after = (delayMs: number, work: () => void): (() => void) => this.#hold('after', delayMs, work);
  readonly every = (delayMs: number, work: () => void): (() => void) => this.#hold('every', delayMs, work);
  readonly wait = (delayMs: number): Promise<void> =>
    new Promise((resolve) => void this.#hold('wait', delayMs, resolve));
  readonly deadline = (delayMs: number): AbortSignal => {
    const controller = new AbortController();
    this.#hold('deadline', delayMs, () => controller.abort(new DOMException('too late', 'TimeoutError')));
    return controller.signal;
  };

  /** How many wait for exactly so long and could be stopped: a deadline cannot. */
  count(delayMs: number): number {
    return [...this.#held].filter((it) => it.delayMs === delayMs && it.kind !== 'deadline').length;
  }

  /** Everything that waits for exactly so long is due. */
  pass(delayMs: number): void {
    for (const it of [...this.#held].filter((held) => held.delayMs === delayMs)) {
      if (it.kind !== 'every') this.#held.delete(it);
      it.work();
    }
  }

  #hold(kind: keyof Timers, delayMs: number, work: () => void): () => void {
    const held = { delayMs, work, kind };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }
}
