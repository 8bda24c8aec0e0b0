import type { Written } from './store.ts';

const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** The envelopes that left last, for clients that come back. Limited by count and by size. */
export class ReplayRing {
  #entries: Written[] = [];
  /** How many of the first entries are let go already. */
  #gone = 0;
  #characters = 0;
  #droppedUpTo: number;

  /** @param startSeq what was numbered before this process began is not in the ring */
  constructor(startSeq: number) {
    this.#droppedUpTo = startSeq;
  }

  add(written: Written): void {
    this.#entries.push(written);
    this.#characters += written.text.length;
    while (this.#entries.length - this.#gone > MAX_ENTRIES || this.#characters > MAX_CHARACTERS) {
      const dropped = this.#entries[this.#gone]!;
      this.#characters -= dropped.text.length;
      this.#droppedUpTo = dropped.envelope.serverSeq;
      this.#gone += 1;
    }
    if (this.#gone < MAX_ENTRIES) return;
    this.#entries = this.#entries.slice(this.#gone); // once in a while: moving all for each one is what costs
    this.#gone = 0;
  }

  /** Everything after `serverSeq`, oldest first; `undefined` when some of it is gone, or was never numbered. */
  since(serverSeq: number, lastSeq: number): readonly Written[] | undefined {
    if (serverSeq < this.#droppedUpTo || serverSeq > lastSeq) return undefined;
    return this.#entries.slice(this.#gone).filter((it) => it.envelope.serverSeq > serverSeq);
  }
}
