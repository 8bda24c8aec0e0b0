/** Work about one thing, one after the other; work about different things runs side by side. */
export class InTurn {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all that came for `key` before has ended, well or badly. */
  run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    return this.hold(key, (this.#last.get(key) ?? Promise.resolve()).then(work));
  }

  /** What comes for `key` from now on waits for `running`, which began already. */
  hold<T>(key: string, running: Promise<T>): Promise<T> {
    const end = running
      .then(
        () => undefined,
        () => undefined, // whoever asked gets the error; the next in line goes on
      )
      .finally(() => {
        if (this.#last.get(key) === end) this.#last.delete(key);
      });
    this.#last.set(key, end);
    return running;
  }

  /** Settles when all that came for `key` so far has ended. `undefined`: nothing runs. */
  whenFree(key: string): Promise<void> | undefined {
    return this.#last.get(key);
  }
}
