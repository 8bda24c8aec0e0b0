/** Either an object that the other side has under this number, or one that it has from now on. */
export interface Numbered<T> {
  readonly at: number;
  readonly value?: T;
}

/** How many objects both sides keep. */
const KEPT = 2_000;

/** Sends an object once that many messages refer to. */
export class Numbers<T extends object> {
  #known = new WeakMap<T, number>();
  #count = 0;

  of(value: T): Numbered<T> {
    const known = this.#known.get(value);
    if (known !== undefined) return { at: known };
    if (this.#count === KEPT) {
      // The numbers begin anew, and each replaces an older object of the other side.
      this.#known = new WeakMap();
      this.#count = 0;
    }
    const at = this.#count;
    this.#count += 1;
    this.#known.set(value, at);
    return { at, value };
  }
}

/** The other side of {@link Numbers}: the same object each time for the same number. */
export class NumberedObjects<Sent, T extends object = Sent & object> {
  readonly #kept: T[] = [];
  readonly #make: (sent: Sent) => T;

  constructor(make: (sent: Sent) => T) {
    this.#make = make;
  }

  get({ at, value }: Numbered<Sent>): T {
    if (value !== undefined) this.#kept[at] = this.#make(value);
    const found = this.#kept[at];
    if (!found) throw new Error('A process of the gateway referred to an object that it did not send.');
    return found;
  }
}
