export const phases = ['mid-delta', 'written', 'pending', 'tool running', 'turn end', 'start-up'] as const;
export type Phase = (typeof phases)[number];

/** Where a host dies: at the `nth` place of a phase. `never` lives until it is told to end. */
export interface Plan {
  readonly phase: Phase | 'never';
  readonly nth: number;
}

/** What a prompt makes the agent do; the text of the prompt is this, as JSON. */
export interface Script {
  readonly deltas: number;
  readonly tool?: 'confirm' | 'run';
}

/** The nth piece of what the agent says: each is told from every other. */
export function textOf(n: number): string {
  return `<${n}>`;
}

/** Numbers in [0, 1) that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
