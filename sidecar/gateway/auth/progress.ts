/** How one of a caller's limits of the minute stands. */
export interface RateStanding {
  readonly kind: 'requests' | 'tokens';
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

const noRates = (): readonly RateStanding[] => [];
const unknownSpend = (): undefined => undefined;

/** Facts about a call that become known while it is served, for the headers of its answer. */
export class Progress {
  readonly #monotonicMs: () => number;
  readonly #startedMs: number;
  #running = 0;
  #sinceMs = 0;
  #waitedMs = 0;
  /** Of all limits of the minute that the call has to keep. */
  rates: () => readonly RateStanding[] = noRates;
  /** US dollars of the key's budget window, as far as it is known; `undefined` while it is not. */
  keySpend: () => number | undefined = unknownSpend;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#startedMs = monotonicMs();
  }

  /** Waits for a backend. Several that are asked at once count as long as the slowest. */
  async during<T>(work: T | Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work;
    } finally {
      this.end();
    }
  }
  /** As {@link during}, for whoever calls {@link end} on every path. */
  begin(): void {
    if (this.#running === 0) this.#sinceMs = this.#monotonicMs();
    this.#running += 1;
  }
  end(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#waitedMs += this.#monotonicMs() - this.#sinceMs;
  }

  /** Milliseconds since the request came. */
  get responseMs(): number {
    return this.#monotonicMs() - this.#startedMs;
  }
  /** Those that no backend was waited for. */
  get overheadMs(): number {
    const waiting = this.#running === 0 ? 0 : this.#monotonicMs() - this.#sinceMs;
    return Math.max(0, this.responseMs - this.#waitedMs - waiting);
  }
}
