import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { parseGlobs } from '../../../../../sidecar/host/files/globs.ts';
import { fromBytes, isWellFormed, shownName, toBytes, toFs } from '../../../../../sidecar/host/files/rawPath.ts';
import { spliceBytes } from '../../../../../sidecar/host/files/spliceBytes.ts';

describe('names that are no UTF-8', () => {
  for (const [hex, text] of [
    ['616263', 'abc'],
    ['c3a9', 'é'],
    ['e282ac', '€'],
    ['f09f9880', '😀'],
    ['e9', '\udce9'],
    ['61e962', 'a\udce9b'],
    ['e9e9', '\udce9\udce9'],
    ['c3', '\udcc3'],
    ['80ff', '\udc80\udcff'],
    ['e282', '\udce2\udc82'],
    ['f09f98', '\udcf0\udc9f\udc98'],
    ['fff09f9880e282acc3a961', '\udcff😀€éa'],
    ['eda080', '\udced\udca0\udc80'],
    ['', ''],
  ] as const)
    it(`are a text of their own: ${hex || 'nothing'}`, () => {
      assert.equal(fromBytes(Buffer.from(hex, 'hex')), text);
      assert.equal(toBytes(text).toString('hex'), hex);
      assert.equal(Buffer.from(toFs(text)).toString('hex'), hex);
      assert.equal(typeof toFs(text), isWellFormed(text) ? 'string' : 'object');
      assert.equal(isWellFormed(text), !/[\udc80-\udcff]/.test(text.replaceAll('😀', '')));
    });
  it('are shown with a replacement character, and other lone surrogates are no byte', () => {
    assert.equal(shownName('a\udce9\udcffb😀'), 'a\uFFFD\uFFFDb😀');
    assert.equal(toBytes('a\ud800b').toString('hex'), '61efbfbd62');
    assert.equal(toBytes('\udc7f\udd00').toString('hex'), 'efbfbdefbfbd');
    assert.equal(toBytes('\udc80\udcff').toString('hex'), '80ff');
  });
});

describe('globs', () => {
  for (const [pattern, yes, no] of [
    ['*', 'a|ab|.a', 'a/b'],
    ['a*', 'a|ab|abc', 'ba|a/b'],
    ['*a', 'a|ba|aa|aba', 'ab'],
    ['*a*b', 'ab|aab|xaxb|abab', 'a|ba|aba'],
    ['a*b*c', 'abc|axbxc|abcbc', 'ab|abcd|acb'],
    ['?', 'a|é|😀', 'ab|a/b'],
    ['a?', 'ab', 'a|abc'],
    ['**', 'a|a/b|a/b/c', ''],
    ['**/a', 'a|x/a|x/y/a|a/a', 'a/b|ab'],
    ['a/**', 'a|a/b|a/b/c', 'b|b/a'],
    ['a/**/b/**/c', 'a/b/c|a/x/b/y/z/c|a/b/b/c', 'a/c|a/b|a/b/c/d'],
    ['**/**/a', 'a|x/a', 'x'],
    ['a/*/c', 'a/b/c', 'a/c|a/b/b/c'],
    ['{a,b}', 'a|b', 'c|a,b'],
    ['{a,b}{c,d}', 'ac|ad|bc|bd', 'ab|a|cd'],
    ['x{,y}', 'x|xy', 'y'],
    ['{a', '{a', 'a'],
    ['a}', 'a}', 'a'],
    ['[ab]', '[ab]', 'a|b'],
    ['a.b', 'a.b', 'axb'],
    ['A', 'A', 'a'],
  ] as const)
    it(`with the pattern ${pattern} mean ${yes}${no && `, and not ${no}`}`, () => {
      const globs = parseGlobs(['never', pattern], 'f');
      assert.deepEqual(
        yes.split('|').filter((it) => !globs.matches(it)),
        [],
      );
      assert.deepEqual(
        no.split('|').filter((it) => it !== '' && globs.matches(it)),
        [],
      );
    });
  it('mean nothing where there are none', () => assert.equal(parseGlobs([], 'f').matches('a'), false));
  const ten = '{0,1,2,3,4,5,6,7,8,9}';
  for (const [says, items, isRefused] of [
    ['100 of them', Array.from({ length: 100 }, () => 'a'), false],
    ['101 of them', Array.from({ length: 101 }, () => 'a'), true],
    ['400 letters', ['a'.repeat(400)], false],
    ['401 letters', ['a', 'a'.repeat(401)], true],
    ['an empty one', ['a', ''], true],
    ['200 choices', [`${ten}${ten}`, `${ten}${ten}`], false],
    ['201 choices', [`${ten}${ten}`, `${ten}${ten}`, 'a'], true],
    ['choices without end', ['{0,1,2,3}'.repeat(40)], true],
  ] as const)
    it(`are ${isRefused ? 'refused' : 'taken'} with ${says}`, () => {
      const parse = () => void parseGlobs(items, 'excludes');
      if (isRefused)
        assert.throws(parse, {
          code: 'invalid_params',
          message: 'excludes.items: too many entries, or an entry is too long',
        });
      else assert.doesNotThrow(parse);
    });
});

describe('a write at a position', () => {
  for (const [mode, position, expected] of [
    ['truncate', 0, 'XY'],
    ['truncate', 2, 'abXY'],
    ['truncate', 4, 'abcdXY'],
    ['append', 0, 'abcdXY'],
    ['append', 1, 'abcXYd'],
    ['append', 4, 'XYabcd'],
    ['insert', 0, 'XYabcd'],
    ['insert', 3, 'abcXYd'],
    ['insert', 4, 'abcdXY'],
    ['truncate', 5, undefined],
    ['append', 5, undefined],
    ['insert', 5, undefined],
  ] as const)
    it(`${mode} at ${position} ${expected ? `makes ${expected} of abcd` : 'is refused for four bytes'}`, () => {
      const splice = () => spliceBytes(Buffer.from('abcd'), { bytes: Buffer.from('XY'), mode, position }).toString();
      if (expected) assert.equal(splice(), expected);
      else assert.throws(splice, { code: 'invalid_params', message: 'position: is past the end of the file' });
    });
});
