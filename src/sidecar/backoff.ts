/** So many failures in a row, none of them after a minute of work, and starting is given up with a button. */
const usual = { firstMs: 250, longestMs: 10_000, maxFailures: 5 };
const STEADY_MS = 60_000;

/** When to start again after the relay ended. Waits longer each time, with jitter so that windows do not march in step. */
export class Backoff {
  readonly #random: () => number;
  readonly #limits: typeof usual;
  #failures = 0;

  constructor(random: () => number, limits = usual) {
    this.#random = random;
    this.#limits = limits;
  }

  /** @param livedMs how long the connection stood; 0 when it never did. `undefined`: give up. */
  next(livedMs: number): number | undefined {
    const { firstMs, longestMs, maxFailures } = this.#limits;
    if (livedMs >= STEADY_MS) this.#failures = 0;
    this.#failures += 1;
    if (this.#failures > maxFailures) return undefined;
    const full = Math.min(longestMs, firstMs * 2 ** (this.#failures - 1));
    return Math.round(full * (0.5 + this.#random() / 2));
  }

  reset(): void {
    this.#failures = 0;
  }
}
