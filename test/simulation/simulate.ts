import type { Fault } from './fault.ts';
import { FAULT_STEPS, faults } from './faults.ts';
import type { GatewayFault } from './gateway/gatewayFault.ts';
import { gatewayFaults } from './gateway/gatewayFaults.ts';
import { GatewaySimulation } from './gateway/gatewaySimulation.ts';
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
interface Simulation extends Pick<Outcome, 'trace' | 'counts'> {
  /** @throws {Violation} */
  run(steps: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs one seed for this number of steps, or until a violation. */
export const simulateHost = (seed: number, steps: number, fault?: Fault): Promise<Outcome> =>
  simulate(seed, steps, HostSimulation.open(seed, fault));
export const simulateGateway = (seed: number, steps: number, fault?: GatewayFault): Promise<Outcome> =>
  simulate(seed, steps, GatewaySimulation.open(seed, fault));

/** The two systems that are simulated. */
export const halves = { host: simulateHost, gateway: simulateGateway } as const;
export type Half = keyof typeof halves;

async function simulate(seed: number, steps: number, opening: Promise<Simulation>): Promise<Outcome> {
  const simulation = await opening;
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

/** A fault that a run of a seed may find. */
export interface FaultToFind {
  readonly half: Half;
  readonly name: string;
  /** Starts with a new instance of the fault, because faults can have a state. */
  readonly run: (seed: number, steps: number) => Promise<Outcome>;
}

/** All faults that the simulations must find, each within {@link FAULT_STEPS} steps. */
export const faultsToFind: readonly FaultToFind[] = [
  ...faults.map((make): FaultToFind => {
    return { half: 'host', name: make().name, run: (seed, steps) => simulateHost(seed, steps, make()) };
  }),
  ...gatewayFaults.map((make): FaultToFind => {
    return { half: 'gateway', name: make().name, run: (seed, steps) => simulateGateway(seed, steps, make()) };
  }),
];

/** Looks for a fault, with a new seed after each lap. @returns the run that found it */
export async function find(
  { run }: Pick<FaultToFind, 'run'>,
  { most = FAULT_STEPS, lap = 10_000 } = {},
): Promise<{ readonly steps: number; readonly found?: Outcome & { readonly violation: Violation } }> {
  for (let done = 0; done < most; done += lap) {
    const outcome = await run(1 + done / lap, Math.min(lap, most - done));
    const { violation, steps } = outcome;
    if (violation) return { steps: done + steps, found: { ...outcome, violation } };
  }
  return { steps: most };
}
