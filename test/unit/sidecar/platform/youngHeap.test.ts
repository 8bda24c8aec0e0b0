import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { SETTLED_MS } from '../../../../sidecar/platform/heap.ts';
import { beforeYoungHeapGrows } from '../../../../sidecar/platform/youngHeap.ts';

describe('the young generation of a process that serves many callers', () => {
  /** Allocates what lives for a while. @returns the size of each half at the end, in MB */
  function sizeAfterMany({ bound, options = [], env = {} }: Started): number {
    const file = join(import.meta.dirname, 'youngHeap.child.ts');
    const args = [...options, file, bound];
    return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } }));
  }

  it('grows to 16 MB a half and no further', () => {
    assert.equal(sizeAfterMany({ bound: 'at once' }), 16);
    assert.ok(sizeAfterMany({ bound: 'never' }) > 16);
  });

  it('shrinks to 16 MB a half in a full collection if it had grown further before', () => {
    assert.equal(sizeAfterMany({ bound: 'late' }), 16);
  });

  for (const { where, more } of [
    { where: 'on the command line', more: { options: ['--max-semi-space-size=32'] } },
    { where: 'in NODE_OPTIONS', more: { env: { NODE_OPTIONS: '--max-semi-space-size=32' } } },
  ])
    it(`has the size that was set ${where}`, () => {
      assert.equal(sizeAfterMany({ bound: 'at once', ...more }), 32);
    });

  it('has its size in threads by flags with which Node uses the code that it contains', () => {
    const versionWith = (...options: readonly string[]) =>
      execFileSync(process.execPath, [...options, '-p', 'v8.cachedDataVersionTag()'], { encoding: 'utf8' });
    assert.equal(versionWith('--max-semi-space-size=2', '--min-semi-space-size=2'), versionWith());
    assert.notEqual(versionWith('--no-maglev'), versionWith());
  });
});

describe('the growth of the young generation', () => {
  it('is that of the start, with which V8 uses the code that was kept, while code is kept', () => {
    const file = join(import.meta.dirname, 'firstGrowth.child.ts');
    const args = (...options: readonly string[]) => [...options, file];
    const [first, bounded, kept, later] = execFileSync(process.execPath, args(), { encoding: 'utf8' }).split(' ');
    assert.deepEqual([bounded === first, kept === first, later === first], [false, true, false]);
    const chosen = execFileSync(process.execPath, args('--max-semi-space-size=32'), { encoding: 'utf8' }).split(' ');
    assert.equal(new Set(chosen).size, 1, 'where a size was set, nothing changes');
  });
});

describe('the moment at which the young generation is bounded', () => {
  const started = () => {
    let due: (() => void) | undefined;
    let count = 0;
    const after = (delayMs: number, work: () => void) => {
      assert.equal(delayMs, SETTLED_MS);
      due = work;
      return () => (due = undefined);
    };
    beforeYoungHeapGrows({ after }, () => (count += 1));
    return { pass: () => due?.(), count: () => count };
  };

  it('is a second after the start', () => {
    const { pass, count } = started();
    pass();
    assert.equal(count(), 1);
  });

  it('is the first garbage collection if that is earlier, and comes once', async () => {
    const { pass, count } = started();
    for (let tick = 0; count() === 0 && tick < 2_000; tick += 1) {
      assert.equal(Array.from({ length: 20_000 }, (_, at) => ({ at })).length, 20_000);
      await nextTick();
    }
    assert.equal(count(), 1, 'a collection comes first');
    pass();
    assert.equal(count(), 1);
  });
});

interface Started {
  readonly bound: 'at once' | 'late' | 'never';
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
