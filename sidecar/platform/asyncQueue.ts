/** What one side pushes and one reader pulls, in order. What is queued at the end is still read. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #end: { readonly failure?: unknown } | undefined;
  #wake = () => {};

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** After the end nothing more is taken. */
  push(...items: readonly T[]): void {
    if (this.#end) return;
    this.#waiting.push(...items);
    this.#wake();
  }

  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  /** Ends it: the reader gets the failure after all that was pushed before. */
  fail(failure: unknown): void {
    this.#end ??= { failure };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      if (this.#waiting.length > 0) yield this.#waiting.shift()!;
      else if (this.#end) break;
      else await new Promise<void>((resolve) => void (this.#wake = resolve));
    }
    if ('failure' in this.#end) throw this.#end.failure;
  }
}
