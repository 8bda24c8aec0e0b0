/** How fast something may go on: a second's worth at once, and as fast as allowed after that. */
export class Pace {
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  #remaining: number;
  #sinceMs: number;

  constructor(perSecond: number, nowMs: () => number) {
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
    this.#remaining = perSecond;
    this.#sinceMs = nowMs();
  }

  /** @param count of those that came @returns how many milliseconds to wait before the next */
  spend(count = 1): number {
    const nowMs = this.#nowMs();
    this.#remaining =
      Math.min(this.#perSecond, this.#remaining + ((nowMs - this.#sinceMs) * this.#perSecond) / 1_000) - count;
    this.#sinceMs = nowMs;
    return this.#remaining >= 1 ? 0 : Math.ceil(((1 - this.#remaining) * 1_000) / this.#perSecond);
  }
}
