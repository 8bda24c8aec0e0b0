import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { isDeeperThan } from '../../../../sidecar/transport/depth.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((it) => depthOf(it)));
}

describe('the depth of JSON text', () => {
  it('is what its value has, whatever its texts and names say', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6, noUnicodeString: false }),
        fc.integer({ min: 1, max: 8 }),
        (value, limit) => {
          const text = Buffer.from(JSON.stringify(value));
          assert.equal(isDeeperThan(text, limit), depthOf(value) > limit);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('counts no bracket in a text, also behind an escaped quote', () => {
    assert.equal(isDeeperThan(Buffer.from(JSON.stringify({ a: '"[[[[[[[[\\' })), 1), false);
    assert.equal(isDeeperThan(Buffer.from(JSON.stringify({ '\\"{{{{{': [[1]] })), 2), true);
  });

  it('is told in time in proportion to the text, never by recursion', () => {
    assert.equal(isDeeperThan(Buffer.from('['.repeat(5_000_000)), 128), true);
  });
});
