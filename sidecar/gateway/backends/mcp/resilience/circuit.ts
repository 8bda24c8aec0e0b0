import type { Clock } from '../../../../platform/clock.ts';
import type { CircuitBreakerSettings } from '../../../../protocol/gateway/resilience.ts';

export type CircuitState = 'closed' | 'open' | 'half_open';

/** What a circuit looks like from outside. */
export interface CircuitView {
  readonly state: CircuitState;
  /** Requests in the running window, and how many of them failed. */
  readonly requests: number;
  readonly failures: number;
  /** Until one request is let through; absent if the circuit is closed. */
  readonly retryAfterMs?: number;
}

/** The window is forgotten in slices, so that its memory does not grow with the number of requests. */
const SLICES = 10;
/** While one request tries, how long the others are told to wait. */
const TRYING_MS = 1_000;

/** The defaults of what an administrator leaves open. */
export const circuitDefaults = { minimum_requests: 10, window_s: 30, open_s: 30 } as const;

/**
 * Opens after a number or a share of failures in a window. After a pause, one request tries: the circuit closes if it
 * succeeds, and opens again if it fails.
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #settings: CircuitBreakerSettings;
  readonly #sliceMs: number;
  readonly #slices: { at: number; requests: number; failures: number }[] = [];
  #openUntilMs: number | undefined;
  #isTrying = false;
  readonly #onChange: (isOpen: boolean) => void;
  /** Grows each time the circuit opens or closes: what began before says nothing about the state after. */
  #era = 0;

  /** @param onChange called when it opens, not when it opens again after a try, and when it closes */
  constructor(settings: CircuitBreakerSettings, clock: Clock, onChange: (isOpen: boolean) => void = () => undefined) {
    this.#settings = settings;
    this.#onChange = onChange;
    this.#clock = clock;
    this.#sliceMs = ((settings.window_s ?? circuitDefaults.window_s) * 1_000) / SLICES;
  }

  /**
   * Before a request. @returns milliseconds to wait where it is refused; otherwise what to tell of its end, once.
   */
  enter(): number | Probe {
    const now = this.#clock.monotonicMs();
    const isHalfOpen = this.#openUntilMs !== undefined;
    if (this.#openUntilMs !== undefined) {
      if (now < this.#openUntilMs) return Math.ceil(this.#openUntilMs - now);
      if (this.#isTrying) return TRYING_MS;
      this.#isTrying = true;
    }
    const era = this.#era;
    let isOver = false;
    return (end) => {
      if (isOver) return;
      isOver = true;
      if (era !== this.#era) return;
      if (isHalfOpen) this.#isTrying = false;
      if (end === 'abandoned') return;
      if (isHalfOpen) {
        if (end === 'failed') this.#open();
        else this.#close();
        return;
      }
      const slice = this.#slice();
      slice.requests += 1;
      if (end === 'failed') slice.failures += 1;
      if (end === 'failed' && this.#isTooMuch()) this.#open();
    };
  }

  view(): CircuitView {
    const { requests, failures } = this.#sums();
    const until = this.#openUntilMs;
    if (until === undefined) return { state: 'closed', requests, failures };
    const retryAfterMs = Math.max(0, Math.ceil(until - this.#clock.monotonicMs()));
    return { state: retryAfterMs > 0 ? 'open' : 'half_open', requests, failures, retryAfterMs };
  }

  #open(): void {
    if (this.#openUntilMs === undefined) this.#onChange(true);
    this.#era += 1;
    this.#isTrying = false;
    this.#openUntilMs = this.#clock.monotonicMs() + (this.#settings.open_s ?? circuitDefaults.open_s) * 1_000;
  }

  #close(): void {
    this.#onChange(false);
    this.#era += 1;
    this.#openUntilMs = undefined;
    this.#slices.length = 0;
  }

  #isTooMuch(): boolean {
    const { failures: most, failure_percent: share, minimum_requests: least } = this.#settings;
    const { requests, failures } = this.#sums();
    if (most && failures >= most) return true;
    if (!share || requests < (least ?? circuitDefaults.minimum_requests)) return false;
    return failures * 100 >= share * requests;
  }

  #slice() {
    const at = Math.floor(this.#clock.monotonicMs() / this.#sliceMs);
    const last = this.#slices.at(-1);
    if (last?.at === at) return last;
    const slice = { at, requests: 0, failures: 0 };
    this.#slices.push(slice);
    while (this.#slices[0] && this.#slices[0].at <= at - SLICES) this.#slices.shift();
    return slice;
  }

  #sums(): { readonly requests: number; readonly failures: number } {
    const oldest = Math.floor(this.#clock.monotonicMs() / this.#sliceMs) - SLICES;
    let requests = 0;
    let failures = 0;
    for (const it of this.#slices) {
      if (it.at <= oldest) continue;
      requests += it.requests;
      failures += it.failures;
    }
    return { requests, failures };
  }
}

/** How a request ended: the server answered, it did not, or its caller left before that was known. */
export type Probe = (end: 'reached' | 'failed' | 'abandoned') => void;
