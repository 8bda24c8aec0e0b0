import type { Clock } from '../../platform/clock.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';

/** How long a backend that failed is avoided. Doubles with each consecutive failure. */
const COOL_MS = 5_000;
const MAX_COOL_MS = 60_000;
const MINUTE_MS = 60_000;

/** How calls to a backend went from this replica. */
export interface BackendState {
  /** Consecutive failures. */
  readonly failures: number;
  /** Milliseconds for which it is still avoided; 0 if it is not. */
  readonly coolForMs: number;
  /** In this minute. */
  readonly requests: number;
  /** In this minute. */
  readonly tokens: number;
  /** A limit of this minute is reached. */
  readonly isFull: boolean;
}

interface State {
  failures: number;
  coolUntilMs: number;
  minute: number;
  requests: number;
  tokens: number;
}

/** Chooses a backend of a model by weight, and avoids one that failed for a while. */
export class BackendChoice {
  readonly #clock: Clock;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #states = new Map<string, State>();

  constructor(clock: Clock, random: (bytes: number) => Uint8Array) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * @param tried backends that are not chosen again
   * @returns one that cools down only if there is no other; `undefined` if none is left or all have reached their limits
   */
  choose(backends: readonly ModelRecord[], tried: ReadonlySet<string>): ModelRecord | undefined {
    const left = backends.filter((it) => !tried.has(it.model_id) && !this.#isFull(it));
    if (left.length < 2) return left[0];
    const nowMs = this.#clock.monotonicMs();
    const ready = left.filter((it) => (this.#states.get(it.model_id)?.coolUntilMs ?? 0) <= nowMs);
    return this.#byWeight(ready.length > 0 ? ready : left);
  }

  /** Counts a call that is about to be sent. */
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
  /** @param retryAfterMs the wait that the provider asked for */
  failed({ model_id }: ModelRecord, retryAfterMs: number | undefined): void {
    const state = this.#minuteOf(model_id);
    const pauseMs = Math.max(retryAfterMs ?? 0, COOL_MS * 2 ** Math.min(state.failures, 10));
    state.failures += 1;
    state.coolUntilMs = this.#clock.monotonicMs() + Math.min(MAX_COOL_MS, pauseMs);
  }
  /** @returns `undefined` if it has not been called yet */
  stateOf(backend: ModelRecord): BackendState | undefined {
    const { model_id } = backend;
    if (!this.#states.has(model_id)) return undefined;
    const { failures, coolUntilMs, requests, tokens } = this.#minuteOf(model_id);
    const coolForMs = Math.max(0, coolUntilMs - this.#clock.monotonicMs());
    return { failures, coolForMs, requests, tokens, isFull: this.#isFull(backend) };
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
    let left = Buffer.from(this.#random(4)).readUInt32BE() * (all / 2 ** 32);
    return backends.find((it) => (left -= weightOf(it)) < 0) ?? backends.at(-1);
  }
}
