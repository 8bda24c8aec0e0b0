import type { Fault } from './fault.ts';
import { HostSimulation } from './hostSimulation.ts';
import { Violation } from './violation.ts';

export interface Outcome {
  readonly seed: number;
  readonly steps: number;
  /** Of everything that happened: the same for the same seed and as many steps. */
  readonly trace: string;
  /** How often each kind of step was made. */
  readonly counts: Readonly<Record<string, number>>;
  readonly violation?: Violation;
}

/** Runs one seed for so many steps, or until something is wrong. */
export async function simulate(seed: number, steps: number, fault?: Fault): Promise<Outcome> {
  const simulation = await HostSimulation.open(seed, fault);
  let violation: Violation | undefined;
  try {
    await simulation.run(steps);
  } catch (thrown) {
    if (!(thrown instanceof Violation)) throw thrown;
    violation = thrown;
  }
  const { trace, counts } = simulation;
  await simulation.close();
  return { seed, steps: violation?.step ?? steps, trace, counts, ...(violation && { violation }) };
}

/** Looks for a fault, with a new seed whenever one has run long without. @returns after how many steps it was found */
export async function find(
  make: () => Fault,
  most: number,
): Promise<{ readonly steps: number; readonly what?: string }> {
  const lap = 10_000;
  for (let done = 0; done < most; done += lap) {
    const { violation, steps } = await simulate(1 + done / lap, Math.min(lap, most - done), make());
    if (violation) return { steps: done + steps, what: violation.message };
  }
  return { steps: most };
}
