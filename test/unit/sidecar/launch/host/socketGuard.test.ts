import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { guardSocket } from '../../../../../sidecar/launch/host/socketGuard.ts';
import { keepingLog } from '../../../../support/testLog.ts';
import { until } from '../../../../support/until.ts';

describe('the socket of a host', () => {
  let folder: string;
  let socket: string;
  let restored: number;
  let stop: () => void;
  let lines: string[];
  let restore: () => Promise<void>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-socket-guard-'));
    socket = join(folder, 'host.sock');
    writeFileSync(socket, '');
    restored = 0;
    restore = async () => writeFileSync(socket, '');
    const kept = keepingLog();
    ({ lines } = kept);
    stop = guardSocket(socket, kept.log, async () => {
      restored += 1;
      await restore();
    });
  });
  afterEach(() => {
    stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const restoredTimes = (count: number) => until(`it is restored ${count} times`, () => restored >= count);

  it('is made anew each time that somebody removes it', async () => {
    for (let n = 1; n <= 2; n += 1) {
      rmSync(socket);
      await restoredTimes(n);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    assert.equal(lines.filter((it) => it.includes('being re-created')).length, restored);
  });
  it('is left alone while others come and go beside it, and once nobody guards it', async () => {
    writeFileSync(join(folder, 'other'), '');
    rmSync(join(folder, 'other'));
    rmSync(socket);
    await restoredTimes(1);
    assert.equal(restored, 1);
    stop();
    rmSync(socket);
    writeFileSync(join(folder, 'another'), '');
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(restored, 1);
  });
  it('that cannot be made anew is reported', async () => {
    restore = () => Promise.reject(new Error('no such folder'));
    rmSync(socket);
    await until('it is reported', () => lines.some((it) => it.includes('cannot be re-created')));
  });
});
