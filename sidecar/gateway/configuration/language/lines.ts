interface Position {
  readonly line: number;
  readonly character: number;
}

/** Offsets of a text as lines and characters of the Language Server Protocol, both in UTF-16 units. */
export class Lines {
  readonly #starts: readonly number[];
  readonly #length: number;

  constructor(text: string) {
    this.#starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((it) => it.index + it[0].length)];
    this.#length = text.length;
  }

  /** The nearest place there is, for one beyond the text. */
  offsetAt({ line, character }: Position): number {
    const start = this.#starts[line] ?? this.#length;
    return Math.min(start + character, this.#starts[line + 1] ?? this.#length, this.#length);
  }

  range({ offset, length }: { readonly offset: number; readonly length: number }) {
    return { start: this.#positionAt(offset), end: this.#positionAt(offset + length) };
  }

  #positionAt(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.#length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: at - this.#starts[low]! };
  }
}
