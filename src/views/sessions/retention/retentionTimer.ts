/** A number that is still being typed deletes nothing. */
export const AFTER_CHANGE_MS = 5 * 60_000;
export const EVERY_MS = 6 * 60 * 60_000;

/** When old sessions are deleted: a while after the setting changed or the host was reached, and again every few hours. */
export class RetentionTimer {
  readonly #deleteOld: () => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #days = 0;

  constructor(deleteOld: () => Promise<void>) {
    this.#deleteOld = deleteOld;
  }

  /** Days that sessions are kept; 0: none is deleted. */
  get days(): number {
    return this.#days;
  }
  set days(wanted: number) {
    if (wanted === this.#days) return;
    this.#days = wanted;
    this.begin();
  }

  begin(): void {
    this.#runIn(AFTER_CHANGE_MS);
  }

  dispose(): void {
    this.#days = 0;
    clearTimeout(this.#timer);
  }

  #runIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#days === 0 ? undefined : setTimeout(() => void this.#run(), delayMs);
  }

  async #run(): Promise<void> {
    const timer = this.#timer;
    await this.#deleteOld();
    // What changed meanwhile has set a time of its own.
    if (this.#timer === timer) this.#runIn(EVERY_MS);
  }
}
