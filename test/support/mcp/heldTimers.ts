import { systemTimers, type Timers } from '../../../sidecar/platform/timers.ts';

/** Timers of which none is due until a test says so. */
export class HeldTimers implements Timers {
  readonly #held = new Set<{ readonly delayMs: number; readonly work: () => void; readonly repeats: boolean }>();

  readonly soon = systemTimers.soon;
  readonly after = (delayMs: number, work: () => void): (() => void) => this.#hold(delayMs, work, false);
  readonly every = (delayMs: number, work: () => void): (() => void) => this.#hold(delayMs, work, true);
  readonly wait = (delayMs: number): Promise<void> =>
    new Promise((resolve) => void this.#hold(delayMs, resolve, false));
  readonly deadline = (delayMs: number): AbortSignal => {
    const controller = new AbortController();
    this.#hold(delayMs, () => controller.abort(new DOMException('too late', 'TimeoutError')), false);
    return controller.signal;
  };

  /** How many wait for exactly so long. */
  count(delayMs: number): number {
    return [...this.#held].filter((it) => it.delayMs === delayMs).length;
  }

  /** Everything that waits for exactly so long is due. */
  pass(delayMs: number): void {
    for (const it of [...this.#held].filter((held) => held.delayMs === delayMs)) {
      if (!it.repeats) this.#held.delete(it);
      it.work();
    }
  }

  #hold(delayMs: number, work: () => void, repeats: boolean): () => void {
    const held = { delayMs, work, repeats };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }
}
