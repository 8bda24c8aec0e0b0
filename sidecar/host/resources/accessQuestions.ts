import { Fault } from '../../platform/faults.ts';
import type { AccessQuestion } from '../../protocol/resources.ts';

/** Questions that one client may have open. */
const MAX_OPEN = 20;

interface Waiting {
  readonly question: AccessQuestion;
  readonly clientId: string;
  readonly settle: (allow: boolean) => void;
}

/** What persons are asked now: shown in every window, answered in one, gone in all. */
export class AccessQuestions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #changed: (items: readonly AccessQuestion[]) => void;

  /** @param changed notifies the windows */
  constructor(changed: (items: readonly AccessQuestion[]) => void) {
    this.#changed = changed;
  }

  get all(): readonly AccessQuestion[] {
    return [...this.#waiting.values()].map((it) => it.question);
  }

  /**
   * Waits until somebody answers. Rejects with the signal's reason when it aborts first.
   * @throws {Fault} `invalid_params` for too many at once
   */
  ask(clientId: string, question: AccessQuestion, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const open = [...this.#waiting.values()].filter((it) => it.clientId === clientId).length;
    if (open >= MAX_OPEN) throw new Fault('invalid_params', `too many open questions (limit: ${MAX_OPEN})`);
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(question.id);
        this.#changed(this.all);
      };
      const abort = () => {
        leave();
        reject(signal.reason);
      };
      const settle = (allow: boolean) => {
        leave();
        resolve(allow);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.set(question.id, { question, clientId, settle });
      this.#changed(this.all);
    });
  }

  /** Answers false when nobody waits for it any more. */
  answer(id: string, allow: boolean): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.settle(allow);
    return waiting !== undefined;
  }

  /** Nobody is there to ask. */
  refuseAll(): void {
    for (const { settle } of [...this.#waiting.values()]) settle(false);
  }
}
