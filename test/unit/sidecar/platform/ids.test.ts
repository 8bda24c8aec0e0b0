import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { newId, newTimedId } from '../../../../sidecar/platform/ids.ts';

describe('an ID that begins with the time', () => {
  const at = Date.parse('2026-03-04T10:00:00.000Z');

  it('is a UUID of version 7 and holds its millisecond', () => {
    for (const ms of [0, 1, at, at + 0.75, at + 1]) {
      const id = newTimedId(ms, newId);
      assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      assert.equal(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), Math.trunc(ms));
    }
  });

  it('sorts after those of every earlier millisecond, and differs from those of the same one', () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => newTimedId(at + Math.floor(n / 4), newId));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(
      ids.filter((id, n) => n >= 4 && id <= ids[n - 4]!),
      [],
    );
  });
});
