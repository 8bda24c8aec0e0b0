import type { Written } from './store.ts';

const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** The envelopes that left last, for clients that come back. Limited by count and by size. */
export class ReplayRing {
  readonly #entries: Written[] = [];
  #characters = 0;
  #droppedUpTo: number;

  /** @param startSeq what was numbered before this process began is not in the ring */
  constructor(startSeq: number) {
    this.#droppedUpTo = startSeq;
  }

  add(written: Written): void {
    this.#entries.push(written);
    this.#characters += written.text.length;
    let drop = 0;
    while (this.#entries.length - drop > MAX_ENTRIES || this.#characters > MAX_CHARACTERS) {
      const dropped = this.#entries[drop]!;
      this.#characters -= dropped.text.length;
      this.#droppedUpTo = dropped.envelope.serverSeq;
      drop += 1;
    }
    if (drop > 0) this.#entries.splice(0, drop);
  }

  /** Everything after `serverSeq`, oldest first; `undefined` when some of it is gone, or was never numbered. */
  since(serverSeq: number, lastSeq: number): readonly Written[] | undefined {
    if (serverSeq < this.#droppedUpTo || serverSeq > lastSeq) return undefined;
    return this.#entries.filter((it) => it.envelope.serverSeq > serverSeq);
  }
}
