import type { Fault } from './fault.ts';
import { storageFaults } from './storageFaults.ts';
import { wireFaults } from './wireFaults.ts';

/** What the simulation has to find, each within {@link FAULT_STEPS} steps. A fault that has a memory begins anew each time. */
export const faults: readonly (() => Fault)[] = [...wireFaults, ...storageFaults];

export const FAULT_STEPS = 100_000;
