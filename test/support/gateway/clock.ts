import type { Clock } from '../../../sidecar/platform/clock.ts';

/** Time that stands still until a test moves it. */
export class StandingClock implements Clock {
  #ms: number;

  constructor(at: string) {
    this.#ms = Date.parse(at);
  }

  now(): string {
    return new Date(this.#ms).toISOString();
  }
  nowMs(): number {
    return this.#ms;
  }
  monotonicMs(): number {
    return this.#ms;
  }
  pass(ms: number): void {
    this.#ms += ms;
  }
  setTo(at: string): void {
    this.#ms = Date.parse(at);
  }
}
