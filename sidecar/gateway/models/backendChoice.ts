import type { Clock } from '../../platform/clock.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';

/** How long a backend that failed is left alone: longer with each failure in a row. */
const COOL_MS = 5_000;
const MAX_COOL_MS = 60_000;
const MINUTE_MS = 60_000;

interface State {
  failures: number;
  coolUntilMs: number;
  minute: number;
  requests: number;
  tokens: number;
}

/** Chooses among the backends of a model by weight, and leaves alone for a while what failed. */
export class BackendChoice {
  readonly #clock: Clock;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #states = new Map<string, State>();

  constructor(clock: Clock, random: (bytes: number) => Uint8Array) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * @param tried which are not chosen again
   * @returns one that cools down only where there is no other; `undefined` where none is left, or all have reached their limits
   */
  choose(backends: readonly ModelRecord[], tried: ReadonlySet<string>): ModelRecord | undefined {
    const left = backends.filter((it) => !tried.has(it.model_id) && !this.#isFull(it));
    if (left.length < 2) return left[0];
    const nowMs = this.#clock.monotonicMs();
    const well = left.filter((it) => (this.#states.get(it.model_id)?.coolUntilMs ?? 0) <= nowMs);
    return this.#byWeight(well.length > 0 ? well : left);
  }

  /** A call goes there now. */
  began({ model_id }: ModelRecord): void {
    this.#minuteOf(model_id).requests += 1;
  }
  used({ model_id }: ModelRecord, tokens: number): void {
    this.#minuteOf(model_id).tokens += tokens;
  }
  answered({ model_id }: ModelRecord): void {
    const state = this.#states.get(model_id);
    if (!state) return;
    state.failures = 0;
    state.coolUntilMs = 0;
  }
  /** @param retryAfterMs as the provider says */
  failed({ model_id }: ModelRecord, retryAfterMs: number | undefined): void {
    const state = this.#minuteOf(model_id);
    const pauseMs = Math.max(retryAfterMs ?? 0, COOL_MS * 2 ** Math.min(state.failures, 10));
    state.failures += 1;
    state.coolUntilMs = this.#clock.monotonicMs() + Math.min(MAX_COOL_MS, pauseMs);
  }
  forget(modelId: string): void {
    this.#states.delete(modelId);
  }

  #isFull({ model_id, gateway_params: { rpm, tpm } }: ModelRecord): boolean {
    if (!rpm && !tpm) return false;
    const { requests, tokens } = this.#minuteOf(model_id);
    return (rpm != null && requests >= rpm) || (tpm != null && tokens >= tpm);
  }

  #minuteOf(id: string): State {
    const minute = Math.floor(this.#clock.nowMs() / MINUTE_MS);
    let state = this.#states.get(id);
    if (!state) this.#states.set(id, (state = { failures: 0, coolUntilMs: 0, minute, requests: 0, tokens: 0 }));
    if (state.minute !== minute) Object.assign(state, { minute, requests: 0, tokens: 0 });
    return state;
  }

  #byWeight(backends: readonly ModelRecord[]): ModelRecord | undefined {
    const weightOf = ({ gateway_params }: ModelRecord) => gateway_params.weight ?? 1;
    const all = backends.reduce((sum, it) => sum + weightOf(it), 0);
    const [one = 0, two = 0, three = 0, four = 0] = this.#random(4);
    let left = (((one * 256 + two) * 256 + three) * 256 + four) * (all / 2 ** 32);
    return backends.find((it) => (left -= weightOf(it)) < 0) ?? backends.at(-1);
  }
}
