import { changesOf } from './hunks.ts';

/**
 * Follows lines of a text back through its earlier versions, newest first. A line belongs to the version that has it while
 * the one before has not. Lines are counted from zero.
 */
export class LineTrace<A> {
  /** Whose the lines are that were found so far. */
  readonly authors = new Map<number, A>();
  #now: readonly string[];
  /** Lines that are still followed, and which line of `#now` each is. */
  #open: Map<number, number>;

  /** @param wanted lines of `text` that are followed; absent: all */
  constructor(text: readonly string[], wanted: Iterable<number> = text.keys()) {
    this.#now = text;
    this.#open = new Map([...wanted].filter((it) => it < text.length).map((it) => [it, it]));
  }

  /** Nothing is left to find. */
  get isDone(): boolean {
    return this.#open.size === 0;
  }

  /**
   * Goes back to an earlier version. Lines that it has not are `author`'s; without one they are nobody's that is known.
   * @returns the lines that left the trace here, each with the line of the later version that it is
   */
  back(earlier: readonly string[], author?: A): ReadonlyMap<number, number> {
    const hunks = changesOf(earlier, this.#now);
    const left = new Map<number, number>();
    const open = new Map<number, number>();
    let next = 0;
    let shift = 0;
    for (const [line, at] of [...this.#open].toSorted(([, a], [, b]) => a - b)) {
      for (let it = hunks[next]; it && it.afterStart + it.added.length <= at; it = hunks[next]) {
        shift = it.beforeStart + it.removed.length - (it.afterStart + it.added.length);
        next += 1;
      }
      const hunk = hunks[next];
      if (!hunk || at < hunk.afterStart) open.set(line, at + shift);
      else left.set(line, at);
    }
    if (author !== undefined) for (const line of left.keys()) this.authors.set(line, author);
    this.#now = earlier;
    this.#open = open;
    return left;
  }

  /** No earlier version is known. */
  end(): void {
    this.#open.clear();
  }
}
