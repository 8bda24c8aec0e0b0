import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { parseExactly, plainNumbers, withSpellings } from '../../../../../sidecar/gateway/wire/numbers.ts';
import { readStrict } from '../../../../../sidecar/gateway/wire/strictJson.ts';

describe('a number of a message', () => {
  const rows: readonly [text: string, isOdd: boolean, rounded: boolean][] = [
    ['0', false, false],
    ['-17', false, false],
    ['999999999999999', false, false],
    ['9007199254740991', false, false],
    ['0.5', false, false],
    ['1e+21', false, false],
    ['-0', true, false],
    ['1.0', true, false],
    ['1.50', true, false],
    ['1e2', true, false],
    ['100E-2', true, false],
    ['1e-07', true, false],
    ['0e5', true, false],
    ['9007199254740993', true, true],
    ['-123456789012345678901234567890', true, true],
    ['0.1000000000000000055511151231257827', true, true],
    ['1e-400', true, true],
  ];
  for (const [text, isOdd, rounded] of rows) {
    it(`${text} leaves as it is spelled${rounded ? ', and is known to be another one for JavaScript' : ''}`, () => {
      const message = `{"a":[${text}]}`;
      const read = readStrict(message, { maxDepth: 8 });
      assert.ok(!('refused' in read));
      assert.equal(JSON.stringify(read.value), message);
      assert.equal(read.hasOddNumbers, isOdd);
      const plain = plainNumbers(read.value);
      assert.deepEqual(plain.value, JSON.parse(message));
      assert.equal(plain.rounded, rounded ? 'a.0' : undefined);
    });
  }

  it('stays as it was spelled where others were changed', () => {
    const exact = parseExactly('{"a":1.0,"b":[2.0,{"c":3.0}],"d":"x","e":4.0}');
    const changed = { a: 1, b: [2, { c: 5 }], d: 'y', f: 6 };
    assert.equal(JSON.stringify(withSpellings(changed, exact)), '{"a":1.0,"b":[2.0,{"c":5}],"d":"y","f":6}');
  });

  it('is the same object where there is nothing to change', () => {
    const value = { a: [1, { b: 'c' }] };
    assert.equal(plainNumbers(value).value, value);
  });

  it('is read beside members that are none of any prototype', () => {
    const text = '{"__proto__":{"a":1.0},"constructor":2.0}';
    assert.equal(JSON.stringify(parseExactly(text)), text);
    assert.equal(JSON.stringify(plainNumbers(parseExactly(text)).value), '{"__proto__":{"a":1},"constructor":2}');
  });
});
