/** A value that changes, for those who follow it. */
export class Latest<T extends object> {
  readonly #listeners = new Set<(value: T) => void>();
  #value: T | undefined;

  readonly set = (value: T): void => {
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  };

  /** Reports the value: now, if there is one already, and each time it is set. @returns stops */
  readonly follow = (listener: (value: T) => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#value) listener(this.#value);
    return () => void this.#listeners.delete(listener);
  };
}
