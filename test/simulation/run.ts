import { parseArgs } from 'node:util';
import { say } from '../support/say.ts';
import { faultsToFind, find, type Half, halves } from './simulate.ts';

/**
 * `npm run simulate`: `-- --steps N --seeds N` runs N steps of the first N seeds, half for the host and half for the gateway;
 * `-- --half gateway --seed S --steps N` runs one seed of one half; `-- --faults` looks for each fault. The exit code is 1 if
 * there is a violation, or if a fault is not found.
 */
const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '1000000' },
    seeds: { type: 'string', default: '50' },
    seed: { type: 'string' },
    half: { type: 'string' },
    faults: { type: 'boolean', default: false },
  },
});
const whole = (text: string): number => {
  const n = Number(text);
  if (!Number.isSafeInteger(n) || n < 1) throw new Error('--steps, --seeds and --seed are whole numbers above 0');
  return n;
};
const wanted = (Object.keys(halves) as Half[]).filter((it) => values.half === undefined || it === values.half);
if (wanted.length === 0) throw new Error('--half is host or gateway');
const startedMs = performance.now();
const seconds = () => Math.round((performance.now() - startedMs) / 1_000);
process.exitCode = (await (values.faults ? findAll() : runAll())) ? 0 : 1;

async function runAll(): Promise<boolean> {
  const count = whole(values.seeds);
  const seeds = values.seed === undefined ? Array.from({ length: count }, (_it, n) => n + 1) : [whole(values.seed)];
  const each = Math.ceil(whole(values.steps) / seeds.length / wanted.length);
  let done = 0;
  for (const seed of seeds)
    for (const half of wanted) {
      const { steps, trace, violation, counts } = await halves[half](seed, each);
      done += steps;
      const crashes = (half === 'host' ? counts['crashes'] : counts['crash']) ?? 0;
      say(`simulate: ${half}, seed ${seed}: ${steps} steps, ${crashes} crashes, trace ${trace.slice(0, 16)}`);
      if (!violation) continue;
      say(`simulate: ${half}, seed ${seed}, step ${steps}: ${violation.message}`);
      say(`simulate: it happens again with: npm run simulate -- --half ${half} --seed ${seed} --steps ${each}`);
      return false;
    }
  say(`simulate: ${done} steps of ${seeds.length} seeds in ${seconds()} s, 0 violations`);
  return true;
}

async function findAll(): Promise<boolean> {
  const all = faultsToFind.filter((it) => wanted.includes(it.half));
  let found = 0;
  for (const it of all) {
    const { steps, found: by } = await find(it);
    if (by) found += 1;
    const outcome = by ? `found after ${steps} steps` : 'NOT FOUND';
    say(`simulate: ${it.half}, ${outcome}: ${it.name}${by ? ` (${by.violation.message})` : ''}`);
  }
  say(`simulate: ${found} of ${all.length} found in ${seconds()} s`);
  return found === all.length;
}
