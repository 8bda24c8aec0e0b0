import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { replaceText } from '../../../../../sidecar/agents/coder/tools/replaceText.ts';

const outcome = (text: string, old: string, fresh: string, all = false) => {
  const replaced = replaceText(text, old, fresh, all);
  return replaced.ok ? [replaced.text, replaced.isRepaired] : replaced.message;
};

describe('a replacement of text in a file', () => {
  for (const [what, text, old, fresh, after] of [
    ['replaces text that occurs once', 'a b c', 'b', 'x', 'a x c'],
    ['inserts the new text literally', 'a b c', 'b', '$&', 'a $& c'],
    ['keeps CRLF line ends', 'a\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\n', 'x\r\ny\r\nc\r\n'],
  ] as const)
    it(what, () => assert.deepEqual(outcome(text, old, fresh), [after, false]));

  it('replaces every occurrence only if that is allowed', () => {
    assert.match(String(outcome('a a', 'a', 'b')), /2 times/);
    assert.deepEqual(outcome('a a', 'a', 'b', true), ['b b', false]);
  });

  it('ignores spaces around lines, and gives the new lines the indentation of the file', () =>
    assert.deepEqual(outcome('if (a) {\n    b();\n}\n', 'b();  ', 'c();\n  d();'), [
      'if (a) {\n    c();\n      d();\n}\n',
      true,
    ]));

  for (const [what, text, old, message] of [
    ['rejects text that does not occur', 'a', 'b', /not in the file/],
    ['does not choose between two similar places', ' a\n  a\n', 'a ', /2 places are similar/],
    ['rejects a replacement that changes nothing', 'a', 'a', /the same/],
    ['does not adjust text that is only spaces', 'a\n\n\nb', ' \n ', /not in the file/],
  ] as const)
    it(what, () => assert.match(String(outcome(text, old, old === 'a' ? 'a' : 'x')), message));
});
