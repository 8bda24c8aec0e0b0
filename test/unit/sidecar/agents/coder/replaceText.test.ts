import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { replaceText } from '../../../../../sidecar/agents/coder/tools/replaceText.ts';

const outcome = (text: string, old: string, fresh: string, all = false) => {
  const replaced = replaceText(text, old, fresh, all);
  return replaced.ok ? [replaced.text, replaced.isRepaired] : replaced.message;
};

describe('a replacement of text in a file', () => {
  for (const [what, text, old, fresh, after] of [
    ['replaces what stands there once', 'a b c', 'b', 'x', 'a x c'],
    ['takes the new text to the letter', 'a b c', 'b', '$&', 'a $& c'],
    ['keeps line ends of Windows', 'a\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\n', 'x\r\ny\r\nc\r\n'],
  ] as const)
    it(what, () => assert.deepEqual(outcome(text, old, fresh), [after, false]));

  it('replaces every occurrence only where it may', () => {
    assert.match(String(outcome('a a', 'a', 'b')), /2 times/);
    assert.deepEqual(outcome('a a', 'a', 'b', true), ['b b', false]);
  });

  it('repairs spaces around lines, and gives the new lines the indentation of the file', () =>
    assert.deepEqual(outcome('if (a) {\n    b();\n}\n', 'b();  ', 'c();\n  d();'), [
      'if (a) {\n    c();\n      d();\n}\n',
      true,
    ]));

  for (const [what, text, old, message] of [
    ['refuses text that is not there', 'a', 'b', /not in the file/],
    ['refuses to guess between two similar places', ' a\n  a\n', 'a ', /2 places are similar/],
    ['refuses to change nothing', 'a', 'a', /the same/],
    ['refuses to repair text of spaces only', 'a\n\n\nb', ' \n ', /not in the file/],
  ] as const)
    it(what, () => assert.match(String(outcome(text, old, old === 'a' ? 'a' : 'x')), message));
});
