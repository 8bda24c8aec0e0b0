/** Pages in editors and in the side bar have storage of their own, so the parts may be missing once. */
const mostMisses = 1;

/** Knows which pages have their parts in the browser. */
export class KeptPages {
  readonly #digests = new Map<string, string>();
  readonly #misses = new Map<string, number>();

  digestOf(page: string): string | undefined {
    return this.#digests.get(page);
  }

  /**
   * If the parts are missing more often, the browser loses them. They are then in every page again, which would otherwise load twice.
   * @param digest of the parts that the browser keeps; `undefined` if a page missed them
   */
  note(page: string, digest: string | undefined): void {
    const misses = (this.#misses.get(page) ?? 0) + (digest === undefined ? 1 : 0);
    this.#misses.set(page, misses);
    if (digest !== undefined && misses <= mostMisses) this.#digests.set(page, digest);
    else this.#digests.delete(page);
  }
}
