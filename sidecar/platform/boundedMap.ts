/** A map of at most so many entries: the one that was set longest ago makes room. Reading changes no order. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  /** @param max entries, at least one */
  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** The entry becomes the newest, also where its key was there. */
  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.#max) this.delete(this.keys().next().value!);
    return super.set(key, value);
  }
}
