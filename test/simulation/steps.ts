import type { Random } from '../fuzz/random.ts';

/** A step that could be next. */
export interface Choice {
  readonly name: string;
  readonly weight: number;
  /** @returns what it was, for the trace */
  readonly run: () => unknown;
}

/** One of them, as likely as it weighs. */
export function draw(random: Random, choices: readonly Choice[]): Choice {
  const total = choices.reduce((sum, it) => sum + it.weight, 0);
  let at = random.below(total * 1_000) / 1_000;
  return choices.find((it) => (at -= it.weight) < 0) ?? choices[0]!;
}
