import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { exitCodes } from '../../../../../sidecar/launch/failure.ts';
import { acquireHostLock } from '../../../../../sidecar/launch/host/hostLock.ts';

describe('the host lock', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-lock-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('is held by one, and free once released', () => {
    const first = acquireHostLock(dataDir);
    assert.equal(acquireHostLock(dataDir), undefined);
    first?.release();
    const second = acquireHostLock(dataDir);
    assert.ok(second);
    second.release();
  });
  it('says so where the file is something else', () => {
    writeFileSync(join(dataDir, 'host.lock'), 'this is no database, and long enough to be looked at');
    assert.throws(() => acquireHostLock(dataDir), { name: 'LaunchFailure', exitCode: exitCodes.badFolder });
  });
});
