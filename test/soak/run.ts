import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { say } from '../support/say.ts';
import { soak } from './soak.ts';

/** `npm run soak -- --minutes N --seed S`: exit code 1 where mirrors differ or something acknowledged is lost. */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('--minutes and --seed are numbers');
say(`soak: ${minutes} minutes, seed ${seed}`);

const ROUND_STEPS = 3_000;
const untilMs = performance.now() + minutes * 60_000;
for (let round = 0; performance.now() < untilMs; round += 1) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-soak-'));
  const goesOn = (step: number) => step < ROUND_STEPS && performance.now() < untilMs;
  try {
    const result = await soak({ seed: seed + round, goesOn, dataDir: join(folder, 'data'), folder });
    say(`soak: seed ${seed + round}: ${JSON.stringify(result)}, mirrors equal, nothing lost`);
  } catch (thrown) {
    say(`soak: seed ${seed + round}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
    process.exitCode = 1;
    break;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
