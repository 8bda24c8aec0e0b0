import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { Recent } from '../../../../sidecar/platform/boundedMap.ts';

describe('what was used last', () => {
  it('stays, and the rest goes when there is no room', () => {
    const recent = new Recent<number>(3);
    for (const [at, key] of ['a', 'b', 'c'].entries()) recent.set(key, at, 1);
    assert.equal(recent.get('a'), 0);
    recent.set('d', 3, 1);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((it) => recent.get(it)),
      [0, undefined, 2, 3],
    );
  });

  it('is never heavier than allowed', () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), weight: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const recent = new Recent<number>(10);
        for (const { key, weight } of steps) recent.set(key, weight, weight);
        const kept = ['a', 'b', 'c', 'd'].map((it) => recent.get(it) ?? 0);
        assert.ok(kept.reduce((sum, it) => sum + it, 0) <= 10);
        const last = steps.at(-1);
        if (last && last.weight <= 10) assert.equal(recent.get(last.key), last.weight);
      }),
    );
  });
});
