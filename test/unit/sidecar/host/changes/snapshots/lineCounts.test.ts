import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { countLines, countPlain } from '../../../../../../sidecar/host/changes/snapshots/lineCounts.ts';

/** Written the long way: the table of longest common subsequences. */
function longestCommon(before: readonly string[], after: readonly string[]): number {
  let row = new Array<number>(after.length + 1).fill(0);
  for (const line of before) {
    const next = [0];
    for (const [n, other] of after.entries()) next.push(line === other ? row[n]! + 1 : Math.max(row[n + 1]!, next[n]!));
    row = next;
  }
  return row.at(-1)!;
}

const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'a b\n'), { maxLength: 15 });
const bytesOf = (text: readonly string[]) => Buffer.from(text.join(''), 'latin1');

describe('line counts without git', () => {
  it('are those of the shortest difference, and where they are told at once they are the same', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const common = longestCommon(before, after);
        const expected = { added: after.length - common, removed: before.length - common };
        assert.deepEqual(countLines(bytesOf(before), bytesOf(after)), expected);
        assert.deepEqual(countPlain(bytesOf(before), bytesOf(after)) ?? expected, expected);
      }),
    );
  });

  it('take a line without its end for another line', () =>
    assert.deepEqual(countLines(Buffer.from('a\nb'), Buffer.from('a\nb\n')), { added: 1, removed: 1 }));

  it('are none for a file with a NUL in its first 8,000 bytes', () => {
    const binary = (at: number) => Buffer.concat([Buffer.alloc(at, 'x'), Buffer.from([0])]);
    assert.equal(countPlain(binary(7_999), Buffer.from('a')), null);
    assert.deepEqual(countPlain(binary(8_000), Buffer.from('')), { added: 0, removed: 1 });
  });
});
