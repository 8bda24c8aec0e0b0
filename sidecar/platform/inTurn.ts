/** Work about one thing, one after the other; work about different things runs side by side. */
export class InTurn {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all that came for `key` before has ended, well or badly. */
  run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const end = done
      .then(
        () => undefined,
        () => undefined, // whoever asked hears of it; the next in line goes on
      )
      .finally(() => {
        if (this.#last.get(key) === end) this.#last.delete(key);
      });
    this.#last.set(key, end);
    return done;
  }

  /** Settles when all that came for `key` so far has ended. `undefined`: nothing runs. */
  whenFree(key: string): Promise<void> | undefined {
    return this.#last.get(key);
  }
}
