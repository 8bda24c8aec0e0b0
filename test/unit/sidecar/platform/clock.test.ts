import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { momentOf } from '../../../../sidecar/platform/clock.ts';

describe('the text of a moment', () => {
  it('is that of a date, whichever moment came before, and parts of a millisecond are cut off', () => {
    const moments = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(fc.array(fc.tuple(moments, fc.nat(3_000)), { minLength: 1 }), (all) => {
        for (const [ms, later] of all)
          for (const it of [ms, ms + later]) assert.equal(momentOf(it), new Date(it).toISOString());
      }),
    );
    assert.equal(momentOf(1_772_618_400_000.75), new Date(1_772_618_400_000).toISOString());
  });

  it('is none beyond what dates have', () => {
    assert.throws(() => momentOf(Number.NaN), RangeError);
    assert.throws(() => momentOf(9e15), RangeError);
  });
});
