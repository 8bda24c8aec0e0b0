import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'mocha';

describe('the cache of the tests', () => {
  function begun(cache: string) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'cached.child.ts')], {
      env: { ...process.env, SWITCHBOARD_CACHE: cache },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }

  it('waits while another process fills a folder, and does not fill it again', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'switchboard-cache-'));
    const partial = join(cache, `thing.partial-${process.pid}`);
    mkdirSync(partial);
    const { child, lines } = begun(cache);
    try {
      assert.equal((await lines.next()).value, 'begins');
      await setTimeout(300);
      renameSync(partial, join(cache, 'thing'));
      const ended = once(child, 'exit');
      assert.equal((await lines.next()).value, join(cache, 'thing'));
      assert.deepEqual(await ended, [0, null]);
    } finally {
      child.kill();
      rmSync(cache, { recursive: true });
    }
  });

  it('uses a folder that exists without waiting', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'switchboard-cache-'));
    for (const it of ['thing', `thing.partial-${process.pid}`]) mkdirSync(join(cache, it));
    const { child, lines } = begun(cache);
    try {
      await lines.next();
      assert.equal((await lines.next()).value, join(cache, 'thing'));
    } finally {
      child.kill();
      rmSync(cache, { recursive: true });
    }
  });
});
