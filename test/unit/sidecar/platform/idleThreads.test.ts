import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';

const LIMIT_MS = 30_000;

describe('a thread that nobody waits for', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-idle-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const which of ['checkpointer', 'database', 'transcript index'])
    it(`does not keep the process alive: ${which}`, () => {
      const child = join(import.meta.dirname, 'idleThreads.child.ts');
      const output = execFileSync(process.execPath, [child, which, folder], { encoding: 'utf8', timeout: LIMIT_MS });
      assert.equal(output, 'started');
    });
});
