import { seeded } from '../kill/plan.ts';

/** What a run draws from: the same for the same seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }
  /** Below `limit`, from 0. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }
  chance(probability: number): boolean {
    return this.#next() < probability;
  }
  pick<T>(from: readonly T[]): T {
    const found = from[this.below(from.length)];
    if (found === undefined) throw new Error('there is nothing to pick from');
    return found;
  }
  /** An id that comes again with the same seed. */
  id(): string {
    return `${this.below(2 ** 32).toString(36)}${this.below(2 ** 32).toString(36)}`;
  }
}
