import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openPrograms } from '../../../../../sidecar/host/context/openPrograms.ts';
import type { Store } from '../../../../../sidecar/host/state/store.ts';
import { systemClock } from '../../../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the programs of a host', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'programs-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('do not start for a session that was removed', async () => {
    verifies('host.sandbox.never-off');
    const store = { has: () => false, state: () => undefined } as unknown as Store;
    const late = { store: () => store, connections: () => ({ decide: async () => ({ allow: false }) }) };
    const { children } = openPrograms(
      join(root, 'children.json'),
      { dataDir: root, clock: systemClock, timers: systemTimers },
      late,
    );
    const program = { command: '/bin/sh', args: [], cwd: root, env: {}, title: 'Test', session: 'removed' };
    await assert.rejects(children.spawn({ ...program, role: 'tool' }), { code: 'session_not_found' });
    await assert.rejects(children.openPty({ ...program, cols: 80, rows: 24 }), { code: 'session_not_found' });
    assert.deepEqual(children.list(), []);
  });
});
