import { createHash } from 'node:crypto';
import type { Random } from '../fuzz/random.ts';

/** A step that could be next. */
export interface Choice {
  readonly name: string;
  readonly weight: number;
  /** @returns what it did, for the trace */
  readonly run: () => unknown;
}

/** Draws the steps of a simulation, counts them, and adds them to a trace. */
export class Steps {
  readonly counts: Record<string, number> = {};
  readonly #random: Random;
  readonly #hash = createHash('sha256');

  constructor(random: Random) {
    this.#random = random;
  }

  /** A hash of all steps so far, which is the same for the same seed. */
  get trace(): string {
    return this.#hash.copy().digest('hex');
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Makes one of the steps, with a likelihood according to their weights. */
  make(number: number, choices: readonly Choice[]): void {
    const total = choices.reduce((sum, it) => sum + it.weight, 0);
    let at = this.#random.below(total * 1_000) / 1_000;
    const choice = choices.find((it) => (at -= it.weight) < 0) ?? choices[0]!;
    this.count(choice.name);
    const what = choice.run();
    this.#hash.update(`${number} ${choice.name} `).update(what instanceof Uint8Array ? what : `${String(what)}\n`);
  }
}
