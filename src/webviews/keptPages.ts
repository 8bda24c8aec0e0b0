/** The editor keeps what pages in editors keep apart from what those in the side bar keep, so each may miss it once. */
const mostMisses = 1;

/** Of which pages the browser keeps the parts. */
export class KeptPages {
  readonly #digests = new Map<string, string>();
  readonly #misses = new Map<string, number>();

  digestOf(page: string): string | undefined {
    return this.#digests.get(page);
  }

  /**
   * A browser that loses what it says that it keeps is not believed again: every page would be loaded twice.
   * @param digest of the parts that the browser keeps; `undefined` if a page missed them
   */
  note(page: string, digest: string | undefined): void {
    const misses = (this.#misses.get(page) ?? 0) + (digest === undefined ? 1 : 0);
    this.#misses.set(page, misses);
    if (digest !== undefined && misses <= mostMisses) this.#digests.set(page, digest);
    else this.#digests.delete(page);
  }
}
