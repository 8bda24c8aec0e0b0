import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'mocha';

describe('the cache of the tests', () => {
  it('waits for what another process fills, and does not fill it as well', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'switchboard-cache-'));
    const partial = join(cache, `thing.partial-${process.pid}`);
    mkdirSync(partial);
    const env = { ...process.env, SWITCHBOARD_CACHE: cache };
    const child = spawn(process.execPath, [join(import.meta.dirname, 'cached.child.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, 'begins');
    renameSync(partial, join(cache, 'thing'));
    const ended = once(child, 'exit');
    assert.equal((await lines.next()).value, join(cache, 'thing'));
    assert.deepEqual(await ended, [0, null]);
    rmSync(cache, { recursive: true });
  });
});
