import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'mocha';

describe('the young generation of a process that serves many callers', () => {
  /** Allocates what lives for a while. @returns the size of each half at the end, in MB */
  function sizeAfterMany({ bound, options = [], env = {} }: Started): number {
    const file = join(import.meta.dirname, 'youngHeap.child.ts');
    const args = [...options, file, bound ? 'bound' : 'free'];
    return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } }));
  }

  it('grows to 8 MB a half and no further', () => {
    assert.equal(sizeAfterMany({ bound: true }), 8);
    assert.ok(sizeAfterMany({ bound: false }) > 8);
  });

  for (const { where, more } of [
    { where: 'on the command line', more: { options: ['--max-semi-space-size=16'] } },
    { where: 'in NODE_OPTIONS', more: { env: { NODE_OPTIONS: '--max-semi-space-size=16' } } },
  ])
    it(`has the size that was set ${where}`, () => {
      assert.equal(sizeAfterMany({ bound: true, ...more }), 16);
    });

  it('has its size in threads by flags with which Node uses the code that it contains', () => {
    const versionWith = (...options: readonly string[]) =>
      execFileSync(process.execPath, [...options, '-p', 'v8.cachedDataVersionTag()'], { encoding: 'utf8' });
    assert.equal(versionWith('--max-semi-space-size=8', '--min-semi-space-size=8'), versionWith());
    assert.notEqual(versionWith('--no-maglev'), versionWith());
  });
});

interface Started {
  readonly bound: boolean;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
