import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Children, LeashedChild, SpawnRequest } from '../../../../../sidecar/platform/children/children.ts';
import { endingChildren } from '../../../../../sidecar/platform/children/endingChildren.ts';

const request: SpawnRequest = { command: 'a', args: [], env: {}, role: 'tool', title: 'a' };

/** Children that start when `begin` is called. */
function slowChildren() {
  const begins: (() => void)[] = [];
  const told: string[] = [];
  const start = () =>
    new Promise<never>((resolve) => {
      begins.push(() => {
        told.push('started');
        resolve({} as LeashedChild as never);
      });
    });
  const children: Children = {
    spawn: start,
    openPty: start,
    list: () => [],
    stopAll: async () => void told.push('stopped'),
  };
  return { children: endingChildren(children), begin: () => begins.shift()?.(), told };
}

describe('children of a host that stops', () => {
  it('are stopped also if they were about to start', async () => {
    const { children, begin, told } = slowChildren();
    const starting = children.spawn(request);
    const stopping = children.stopAll();
    await new Promise(setImmediate);
    assert.deepEqual(told, ['stopped']);
    begin();
    await Promise.all([starting, stopping]);
    assert.deepEqual(told, ['stopped', 'started', 'stopped']);
  });

  it('do not start any more', async () => {
    const { children, told } = slowChildren();
    await children.stopAll();
    await assert.rejects(children.spawn(request), { code: 'unavailable' });
    await assert.rejects(children.openPty({ ...request, cols: 80, rows: 24, cwd: '/' }), { code: 'unavailable' });
    assert.deepEqual(told, ['stopped']);
  });
});
