import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { splitHunks } from '../../../../sidecar/host/changes/operations/hunks.ts';
import { hunkAt, hunkOf, hunksOf, rangeOf, stepFrom } from '../../../../src/changes/review/hunkRanges.ts';

const text = (...lines: string[]) => lines.map((it) => `${it}\n`).join('');
const before = text('a', 'b', 'c', 'd', 'e', 'f');
/** Two insertions with one line between, a changed line, and a removed one. */
const after = text('a', 'new 1', 'b', 'new 2', 'c', 'D', 'e');
const hunks = hunksOf(before, after);

describe('hunks of a file', () => {
  it('are named to the host so exactly that it keeps one and no other', () => {
    assert.deepEqual(
      hunks.map((hunk) => splitHunks(Buffer.from(before), Buffer.from(after), rangeOf(hunk), 'before').kept.toString()),
      [
        text('a', 'new 1', 'b', 'c', 'd', 'e', 'f'),
        text('a', 'b', 'new 2', 'c', 'd', 'e', 'f'),
        text('a', 'b', 'c', 'D', 'e', 'f'),
        text('a', 'b', 'c', 'd', 'e'),
      ],
    );
  });

  it('are found at their lines, and beside the place where lines are gone', () => {
    const at = (line: number, side: 'before' | 'after') => hunks.indexOf(hunkAt(hunks, line, side)!);
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5, 6].map((line) => at(line, 'after')),
      [-1, 0, -1, 1, -1, 2, 3],
    );
    assert.equal(at(3, 'before'), 2);
    assert.equal(at(5, 'before'), 3);
  });

  it('are found for what the editor shows as a change', () => {
    const change = (originalStart: number, originalEnd: number, start: number, end: number) =>
      hunks.indexOf(
        hunkOf(hunks, {
          originalStartLineNumber: originalStart,
          originalEndLineNumber: originalEnd,
          modifiedStartLineNumber: start,
          modifiedEndLineNumber: end,
        })!,
      );
    assert.equal(change(1, 0, 2, 2), 0);
    assert.equal(change(2, 0, 4, 4), 1);
    assert.equal(change(4, 4, 6, 6), 2);
    assert.equal(change(6, 6, 7, 0), 3);
  });

  it('follow one another, beginning again after the last', () => {
    const step = (line: number, by: 'next' | 'previous') => hunks.indexOf(stepFrom(hunks, line, by)!);
    assert.deepEqual([step(0, 'next'), step(1, 'next'), step(7, 'next')], [0, 1, 0]);
    assert.deepEqual([step(0, 'previous'), step(4, 'previous'), step(1, 'previous')], [3, 1, 3]);
    assert.equal(stepFrom([], 0, 'next'), undefined);
  });
});
