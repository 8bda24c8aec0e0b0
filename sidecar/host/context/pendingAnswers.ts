/**
 * Questions that wait for an action of a person, by the id of what is asked. The question itself is state (a pending
 * tool call, an open input request); this only wakes the agent that waits. After a restart nobody waits any more.
 */
export class PendingAnswers<Answer> {
  readonly #waiting = new Map<string, (answer: Answer) => void>();

  /** Rejects with the signal's reason when it aborts first. */
  wait(id: string, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(id);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, (answer) => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(id);
        resolve(answer);
      });
    });
  }

  /** Answers false when nobody waits for it. */
  answer(id: string, answer: Answer): boolean {
    const resolve = this.#waiting.get(id);
    resolve?.(answer);
    return resolve !== undefined;
  }

  get size(): number {
    return this.#waiting.size;
  }
}
