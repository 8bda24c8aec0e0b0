import { ownMemory } from '../../../../../sidecar/platform/memory/idleMemory.ts';

/** Allocates much, lets go of it, and says how much memory is resident before and after that is given back, in MB. */
const MANY = 400_000;
function fill(): number {
  const living = Array.from({ length: MANY }, (_, at) => ({ at, text: { of: `number ${at}` } }));
  return living.length;
}
const memory = ownMemory();
const count = fill();
const before = memory.residentBytes();
memory.collect();
const after = memory.residentBytes();
process.stdout.write(JSON.stringify({ count, before: before / 1e6, after: after / 1e6 }));
