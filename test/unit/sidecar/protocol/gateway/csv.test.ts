import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { toCsv } from '../../../../../sidecar/protocol/gateway/csv.ts';

describe('CSV', () => {
  for (const { says, cell, expected } of [
    { says: 'plain words as they are', cell: '/mcp', expected: '/mcp' },
    { says: 'a comma in quotes', cell: 'a,b', expected: '"a,b"' },
    { says: 'a quote doubled', cell: 'a"b', expected: '"a""b"' },
    { says: 'a line break in quotes', cell: 'a\nb', expected: '"a\nb"' },
    { says: 'what a spreadsheet would calculate as text', cell: '=1+1', expected: "'=1+1" },
    { says: 'a minus in front of words as text', cell: '-cmd', expected: "'-cmd" },
    { says: 'a negative number as a number', cell: -2.5, expected: '-2.5' },
    { says: 'nothing as nothing', cell: null, expected: '' },
  ]) {
    it(`writes ${says}`, () => assert.equal(toCsv([[cell, 1]]), `${expected},1\r\n`));
  }

  it('quotes what needs it and runs nothing as a formula', () =>
    assert.equal(
      toCsv([
        ['a', 1, null],
        ['x,"y"', -0.5, '=1+1'],
        ['two\nlines', 0, '@cmd'],
      ]),
      'a,1,\r\n"x,""y""",-0.5,\'=1+1\r\n"two\nlines",0,\'@cmd\r\n',
    ));
});
