import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { fuzz } from '../fuzz/fuzz.ts';
import { startSocketHost } from '../support/host/socketHost.ts';

const SEED = 20_261_121;

describe('a host that hears a thousand messages, good and bad', () => {
  it(`answers every request, closes only what lost its framing, and has no bug (seed ${SEED})`, async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-fuzz-')));
    const host = await startSocketHost(join(folder, 'data'), folder);
    try {
      const result = await fuzz({
        messages: 1_000,
        seed: SEED,
        connect: () => host.connect(),
        onProgress: async () => undefined,
      });
      assert.deepEqual(result.bugs, []);
      assert.equal(result.sent, 1_000);
      assert.ok(result.answered > 200, `${result.answered} answers`);
    } finally {
      await host.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
