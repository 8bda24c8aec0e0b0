import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { inlineDiff } from '../../../../../src/webviews/chat/turns/inlineDiff.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);
const text = (lines: readonly string[]) => `${lines.join('\n')}\n`;
const signs = { same: ' ', added: '+', removed: '-', gap: '~' } as const;
const drawn = (before: string, after: string) =>
  inlineDiff(before, after).lines.map(({ kind, text: words }) => `${signs[kind]}${words}`);

describe('the change of a file in a card', () => {
  it('1b-4 shows each place with two lines around it, and leaves out what lies between', () => {
    const before = numbers(20);
    const after = before.with(4, 'line five').with(14, 'line fifteen');
    assert.deepEqual(drawn(text(before), text(after)), [
      ...['~', ' line 3', ' line 4', '-line 5', '+line five', ' line 6', ' line 7'],
      ...['~', ' line 13', ' line 14', '-line 15', '+line fifteen', ' line 16', ' line 17'],
    ]);
  });

  it('1b-4 shows no line twice where two places lie close together', () => {
    const before = numbers(6);
    assert.deepEqual(drawn(text(before), text(before.with(1, 'two').with(3, 'four'))), [
      ...[' line 1', '-line 2', '+two', ' line 3', '-line 4', '+four', ' line 5', ' line 6'],
    ]);
  });

  it('1b-4 marks the words that differ in lines that replace each other', () => {
    const { lines } = inlineDiff('const price = 4;\n', 'const price = 45;\n');
    const marked = lines.map(({ text: words, marks = [] }) => marks.map(([from, to]) => words.slice(from, to)));
    assert.deepEqual(marked, [['4'], ['45']]);
  });

  for (const { what, before, after } of [
    { what: 'lines that have little in common', before: 'one two\n', after: 'return await fetchAll(urls);\n' },
    { what: 'other numbers of lines', before: 'a b c\n', after: 'a b d\na b e\n' },
  ])
    it(`1b-4 marks no words in ${what}`, () => {
      assert.ok(inlineDiff(before, after).lines.every((it) => it.marks === undefined));
    });

  it('1b-4 shows the first 20 lines, and says how many there are besides', () => {
    const { lines, more } = inlineDiff('', text(numbers(50)));
    assert.deepEqual([lines.length, lines[0], more], [20, { kind: 'added', text: 'line 1' }, 30]);
  });

  it('1b-4 ends with no gap', () => {
    const before = numbers(60);
    const after = before.toSpliced(0, 18, 'x').with(40, 'y');
    assert.notEqual(inlineDiff(text(before), text(after)).lines.at(-1)?.kind, 'gap');
  });

  it('1b-4 writes hidden characters out', () => {
    assert.deepEqual(drawn('', 'a\u202Eb\n'), ['+a‹U+202E›b']);
  });

  it('1b-4 shows nothing of what is not text', () => {
    assert.deepEqual(inlineDiff('', 'PNG\0\u0001'), { lines: [], more: 0, problem: 'binary' });
  });
});
