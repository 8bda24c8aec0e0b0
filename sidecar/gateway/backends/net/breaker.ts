import type { Clock } from '../../../platform/clock.ts';

/** After how many failed connections in a row requests are refused at once, and for how long. */
export interface BreakerLimits {
  readonly failures: number;
  readonly coolMs: number;
  readonly maxCoolMs: number;
}

export const breakerLimits: BreakerLimits = { failures: 5, coolMs: 1_000, maxCoolMs: 30_000 };

/**
 * Keeps requests away from a backend that cannot be reached. Answers of any status count as reached. After the pause
 * one request tries; if it fails, the next pause is twice as long.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #limits: BreakerLimits;
  #failures = 0;
  #closedUntilMs = 0;
  #isTrying = false;

  constructor(clock: Clock, limits: BreakerLimits = breakerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Milliseconds until it is worth trying; 0 for now. The request that gets 0 must end with `reached`, `failed` or `left`. */
  waitMs(): number {
    if (this.#failures < this.#limits.failures) return 0;
    const remainingMs = this.#closedUntilMs - this.#clock.monotonicMs();
    if (remainingMs > 0) return remainingMs;
    if (this.#isTrying) return this.#limits.coolMs;
    this.#isTrying = true;
    return 0;
  }

  /** True while requests would be refused or only one tries. */
  get isOpen(): boolean {
    return this.#failures >= this.#limits.failures;
  }

  reached(): void {
    this.#failures = 0;
    this.#isTrying = false;
  }

  /** The caller went before it was known. */
  abandoned(): void {
    this.#isTrying = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#isTrying = false;
    const over = this.#failures - this.#limits.failures;
    if (over < 0) return;
    const pauseMs = Math.min(this.#limits.maxCoolMs, this.#limits.coolMs * 2 ** Math.min(over, 16));
    this.#closedUntilMs = this.#clock.monotonicMs() + pauseMs;
  }
}
