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
/** Keeps what was used last, up to a total weight. */
export class Recent<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly weight: number }>();
  readonly #maxWeight: number;
  #weight = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** The oldest go until it fits. What weighs more than everything may together is not kept at all. */
  set(key: string, value: V, weight: number): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
