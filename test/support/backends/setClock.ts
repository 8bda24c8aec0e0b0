import type { Clock } from '../../../sidecar/platform/clock.ts';

/** Time that stands still until the test moves it. */
export class SetClock implements Clock {
  #ms: number;

  constructor(ms = Date.now()) {
    this.#ms = ms;
  }

  now = (): string => new Date(this.#ms).toISOString();
  nowMs = (): number => this.#ms;
  monotonicMs = (): number => this.#ms;

  pass(ms: number): void {
    this.#ms += ms;
  }
}
