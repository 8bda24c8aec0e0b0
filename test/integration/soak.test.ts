import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { soak } from '../soak/soak.ts';

const SEED = 7;
const STEPS = 600;

describe('five clients of one host that is killed now and then', () => {
  it(`have its states in the end, and nothing that it acknowledged is lost (seed ${SEED})`, async function kills() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-soak-')));
    try {
      const goesOn = (step: number) => step < STEPS;
      const result = await soak({ seed: SEED, goesOn, dataDir: join(folder, 'data'), folder });
      assert.ok(result.kills > 0 && result.drops > 0 && result.accepted > 50, JSON.stringify(result));
      assert.ok(result.returns.replay > 0 && result.returns.initialize > 5, JSON.stringify(result.returns));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
