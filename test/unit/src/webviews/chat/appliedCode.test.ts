import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { placeCode } from '../../../../../src/webviews/chat/turns/appliedCode.ts';

const file = `import { a } from './a.ts';

class Basket {
  total() {
    return 1;
  }

  count() {
    return 2;
  }
}
`;

/** The file once the code is in its place. `|` is the cursor, and two of them a selection. */
function applied(marked: string, code: string): string {
  const start = marked.indexOf('|');
  const rest = marked.replace('|', '');
  const second = rest.indexOf('|');
  const text = rest.replace('|', '');
  const place = placeCode(text, { start, end: second < 0 ? start : second }, code);
  return text.slice(0, place.start) + place.text + text.slice(place.end);
}

const cases: readonly {
  readonly what: string;
  readonly marked: string;
  readonly code: string;
  readonly result: string;
}[] = [
  {
    what: 'code goes in the place of what is selected',
    marked: file.replace('return 1', '|return 1|'),
    code: 'return 3\n',
    result: file.replace('return 1', 'return 3'),
  },
  {
    what: 'code goes in the place of the lines from its first to its last, as deep as they are',
    marked: `|${file}`,
    code: 'total() {\n  return 3;\n}\n',
    result: file.replace('return 1;', 'return 3;'),
  },
  {
    what: 'a whole file goes in the place of the whole file',
    marked: `|${file}`,
    code: file.replace('return 2', 'return 4').replace(/^import.*\n\n/, ''),
    result: file.replace('return 2', 'return 4'),
  },
  {
    what: 'code that the file does not have goes below the line of the cursor',
    marked: 'one|\ntwo\n',
    code: 'new\ncode\n',
    result: 'one\nnew\ncode\ntwo\n',
  },
  {
    what: 'code goes into the empty line of the cursor',
    marked: 'one\n|\ntwo\n',
    code: 'new\n',
    result: 'one\nnew\ntwo\n',
  },
  { what: 'code goes into an empty file', marked: '|', code: 'new\n', result: 'new' },
  {
    what: 'lines that the file has twice are not replaced',
    marked: 'f() {\n}\nf() {\n}\n|',
    code: 'f() {\n  g();\n}\n',
    result: 'f() {\n}\nf() {\n}\nf() {\n  g();\n}',
  },
];

describe('1b-2 the place of applied code', () => {
  for (const { what, marked, code, result } of cases)
    it(`1b-2 ${what}`, () => {
      assert.equal(applied(marked, code), result);
    });
});
