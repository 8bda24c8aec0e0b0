import type { QuestionAnswers, QuestionSet } from '../../../agents/provider.ts';
import type { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { BudgetedTurn } from '../../context/effectDeps.ts';

/** How long a person has to answer. After that, the calls are refused. */
export const ANSWER_LIMIT_MS = 60 * 60_000;
/** An agent that gave up on a call often retries at once, so the question stays open this long. */
const RETRY_MS = 10_000;

export interface AskingDeps extends Pick<Runtime, 'timers' | 'newId'> {
  /** @param isUnclear whether the previous answer could not be used */
  readonly question: (id: string, isUnclear: boolean) => QuestionSet;
  /** Applies an answer. @returns whether it could be used @throws {Fault} with which calls are refused */
  readonly answered: (answers: QuestionAnswers) => boolean;
  /** Nobody answered in time. @returns the fault with which calls are refused */
  readonly late: () => Fault;
  readonly over: () => void;
}

/** One question about a budget or a limit, and the calls that wait for its answer. */
export class Asking {
  readonly turn: BudgetedTurn;
  readonly #deps: AskingDeps;
  /** Settle the waiting calls. */
  readonly #calls = new Set<(thrown: unknown) => void>();
  #question: string | undefined;
  #isWithdrawn = false;
  #isLate = false;
  #isOver = false;
  #forget: (() => void) | undefined;

  constructor(turn: BudgetedTurn, deps: AskingDeps) {
    this.turn = turn;
    this.#deps = deps;
  }

  begin(): void {
    const stop = this.#deps.timers.after(ANSWER_LIMIT_MS, () => {
      this.#isLate = true;
      this.#close();
    });
    const ended = (thrown?: unknown) => {
      this.#isOver = true;
      stop();
      this.#forget?.();
      this.#deps.over();
      for (const it of this.#calls) it(thrown);
    };
    this.#ask().then(() => ended(), ended);
  }

  /** Settles when the call should check again. @throws {Fault} if the person refused */
  async wait(signal: AbortSignal): Promise<void> {
    this.#forget?.();
    let onAbort: () => void = () => undefined;
    let call: (thrown: unknown) => void = () => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        onAbort = () => reject(signal.reason);
        call = (thrown) => (thrown === undefined ? resolve() : reject(thrown));
        signal.addEventListener('abort', onAbort, { once: true });
        this.#calls.add(call);
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#calls.delete(call);
      if (this.#calls.size === 0 && !this.#isOver)
        this.#forget = this.#deps.timers.after(RETRY_MS, () => this.withdraw());
    }
  }

  /** Closes the question when an answer no longer matters. */
  withdraw(): void {
    this.#isWithdrawn = true;
    this.#close();
  }

  #close(): void {
    if (this.#question !== undefined) this.turn.withdraw(this.#question);
  }

  async #ask(): Promise<void> {
    const { turn } = this;
    for (let isUnclear = false; ; isUnclear = true) {
      this.#question = this.#deps.newId();
      const answers = await turn.ask(this.#deps.question(this.#question, isUnclear)).catch((thrown: unknown) => {
        if (turn.signal.aborted) return undefined; // waiting calls check again: another turn asks, or they are refused
        throw thrown;
      });
      this.#question = undefined;
      if (this.#isWithdrawn || !answers) return;
      if (this.#isLate) throw this.#deps.late();
      if (this.#deps.answered(answers)) return;
    }
  }
}
