import { parseArgs } from 'node:util';
import { say } from '../support/say.ts';
import { FAULT_STEPS, faults } from './faults.ts';
import { find, simulate } from './simulate.ts';

/**
 * `npm run simulate`: `-- --steps N --seeds N` of the first seeds, N steps in all; `-- --seed S --steps N` of one;
 * `-- --faults` looks for each fault of the list. Exit code 1 for a violation, or a fault that was not found.
 */
const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '1000000' },
    seeds: { type: 'string', default: '50' },
    seed: { type: 'string' },
    faults: { type: 'boolean', default: false },
  },
});
const whole = (text: string): number => {
  const n = Number(text);
  if (!Number.isSafeInteger(n) || n < 1) throw new Error('--steps, --seeds and --seed are whole numbers above 0');
  return n;
};
const startedMs = performance.now();
const seconds = () => Math.round((performance.now() - startedMs) / 1_000);
process.exitCode = (await (values.faults ? findAll() : runAll())) ? 0 : 1;

async function runAll(): Promise<boolean> {
  const count = whole(values.seeds);
  const seeds = values.seed === undefined ? Array.from({ length: count }, (_it, n) => n + 1) : [whole(values.seed)];
  const each = Math.ceil(whole(values.steps) / seeds.length);
  let done = 0;
  for (const seed of seeds) {
    const { steps, trace, violation, counts } = await simulate(seed, each);
    done += steps;
    say(`simulate: seed ${seed}: ${steps} steps, ${counts['crashes'] ?? 0} crashes, trace ${trace.slice(0, 16)}`);
    if (!violation) continue;
    say(`simulate: seed ${seed}, step ${steps}: ${violation.message}`);
    say(`simulate: it happens again with: npm run simulate -- --seed ${seed} --steps ${each}`);
    return false;
  }
  say(`simulate: ${done} steps of ${seeds.length} seeds in ${seconds()} s, 0 violations`);
  return true;
}

async function findAll(): Promise<boolean> {
  let found = 0;
  for (const make of faults) {
    const { steps, what } = await find(make, FAULT_STEPS);
    if (what !== undefined) found += 1;
    say(
      `simulate: ${what === undefined ? 'NOT FOUND' : `found after ${steps} steps`}: ${make().name}${what ? ` (${what})` : ''}`,
    );
  }
  say(`simulate: ${found} of ${faults.length} found in ${seconds()} s`);
  return found === faults.length;
}
