import type { SessionsInput } from './nodes.ts';

/** What rows are made from, read once a change. Reading copies all sessions, which is too much to do for each row. */
export class ReadOnce {
  readonly #read: () => SessionsInput;
  #input: SessionsInput | undefined;

  constructor(read: () => SessionsInput) {
    this.#read = read;
  }

  get input(): SessionsInput {
    this.#input ??= this.#read();
    return this.#input;
  }

  /** The next look reads anew. */
  forget(): void {
    this.#input = undefined;
  }
}
