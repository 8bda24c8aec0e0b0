import type { Timers } from '../../platform/timers.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';

/** After this silence a person is notified, where the agent has no time of its own; the turn goes on until it is stopped. */
const SILENCE_MS = 60_000;

interface SilenceDeps {
  readonly timers: Pick<Timers, 'after'>;
  readonly writer: Pick<TurnWriter, 'activity' | 'problem'>;
  readonly displayName: string;
  readonly silentAfterMs: number | undefined;
  /** True while a question waits for a person: that is no silence of the agent. */
  readonly isAsking: () => boolean;
  /** What the agent said last of a fault, where it says such. */
  readonly lastWords: () => string | undefined;
}

/** Says in the chat's activity that the agent is silent, and takes it back when it sends something again. */
export class SilenceWatch {
  readonly #deps: SilenceDeps;
  readonly #limitMs: number;
  #isShown = false;
  #stopTimer: () => void;

  constructor(deps: SilenceDeps) {
    this.#deps = deps;
    this.#limitMs = deps.silentAfterMs ?? SILENCE_MS;
    this.#stopTimer = this.#arm();
  }

  /** The agent sent something. */
  received(): void {
    this.#stopTimer();
    this.#stopTimer = this.#arm();
    this.#takeBack();
  }

  stop(): void {
    this.#stopTimer();
    this.#takeBack();
  }

  #arm(): () => void {
    return this.#deps.timers.after(this.#limitMs, () => this.#check());
  }

  #check(): void {
    const { writer, displayName, isAsking, lastWords } = this.#deps;
    this.#stopTimer = this.#arm();
    if (this.#isShown || isAsking()) return;
    this.#isShown = true;
    const howLong = this.#limitMs === 60_000 ? 'a minute' : `${this.#limitMs / 1_000} seconds`;
    writer.activity(`${displayName} has not responded for ${howLong}.`);
    const message = lastWords();
    writer.problem({ kind: 'agentSilent', ...(message !== undefined && { message }) });
  }

  #takeBack(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#deps.writer.activity(undefined);
    this.#deps.writer.problem(undefined);
  }
}
