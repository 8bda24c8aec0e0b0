import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { toCsv } from '../../../../../sidecar/gateway/activity/csv.ts';

describe('CSV', () => {
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
