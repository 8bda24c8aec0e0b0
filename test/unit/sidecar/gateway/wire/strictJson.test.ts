import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { ambiguityWords, readStrict } from '../../../../../sidecar/gateway/wire/strictJson.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const names = (count: number) => Array.from({ length: count }, (_, at) => `"n${at}":1`).join(',');
const verdict = (text: string, namesDepth?: number): string => {
  const read = readStrict(text, { maxDepth: 64, ...(namesDepth !== undefined && { namesDepth }) });
  if (!('refused' in read)) return 'read';
  return read.refused === 'no JSON' ? 'no JSON' : ambiguityWords(read.refused);
};

/** GHSA-4gph-2hhr-5mwg: of two members of one name one reader takes the first and another the last. */
describe('a JSON text', () => {
  const rows: readonly [text: string, says: string][] = [
    ['{"a":1,"b":2}', 'read'],
    ['{"a":{"a":{"a":1}}}', 'read'],
    ['[{"a":1},{"a":1}]', 'read'],
    ['{"a":"a","b":"a"}', 'read'],
    ['{"a":["b","b"],"b":1}', 'read'],
    ['{"a":"\\"b\\":1","b":1}', 'read'],
    ['{"a\\\\":1,"b":"\\\\"}', 'read'],
    ['"a"', 'read'],
    ['-0.5e-7', 'read'],
    ['', 'no JSON'],
    ['{"a":1', 'no JSON'],
    ['{"a', 'no JSON'],
    ['{"\\u00":1}', 'no JSON'],
    ['{"a":1}}', 'no JSON'],
    ['{"a":1,"a"}', 'no JSON'],
    ['{"a":01}', 'no JSON'],
    ['{"a":1,"a":2}', "the member 'a' appears more than once"],
    ['{"a":1,"\\u0061":2}', "the member 'a' appears more than once"],
    ['{"a" : 1 , "a"\n:2}', "the member 'a' appears more than once"],
    ['{"x":[{"y":{"url":1,"z":[{}],"url":2}}]}', "the member 'x.0.y.url' appears more than once"],
    ['[[1,{"a":{}}],{"b":[2,{"c":1,"c":1}]}]', "the member '1.b.1.c' appears more than once"],
    [`{${names(16)},"n3":1}`, "the member 'n3' appears more than once"],
    [`{${names(20)},"n3":1}`, "the member 'n3' appears more than once"],
    [`{${names(20)},"n19":1}`, "the member 'n19' appears more than once"],
    [`{${names(40)}}`, 'read'],
    ['{"a\\\\\\"":1,"b":1,"b":2}', "the member 'b' appears more than once"],
    [`{"${'x'.repeat(65)}":1,"${'x'.repeat(65)}":2}`, `the member '${'x'.repeat(64)}…' appears more than once`],
    ['{"":1,"":2}', "the member '' appears more than once"],
    ['{"__proto__":1,"__proto__":2}', "the member '__proto__' appears more than once"],
    // Readers that know no half characters read a sign for "no character" in the place of each.
    ['{"a\\ud800":1,"a\\udbff":2}', "the member 'a\\ufffd' appears more than once"],
    ['{"\\ud83d\\ude00":1,"\\ud83d\\ude01":2}', 'read'],
    [nested(64), 'read'],
    [nested(65), 'nested too deeply'],
    [nested(100_000), 'nested too deeply'],
    ['{"a":{"b":1e400}}', "the number 'a.b' is too large"],
    ['[1,-1e999]', "the number '1' is too large"],
    ['1e-400', 'read'],
  ];
  for (const [text, says] of rows) {
    it(`${text.slice(0, 50)} of ${text.length} characters is answered: ${says}`, () =>
      assert.equal(verdict(text), says));
  }

  it('is looked at for repeats as deep as is asked', () => {
    const deep = '{"id":1,"result":{"tools":[{"a":1,"a":2}],"tools":1}}';
    assert.equal(verdict(deep, 1), 'read');
    assert.equal(verdict(deep, 2), "the member 'result.tools' appears more than once");
    assert.equal(verdict('{"id":1,"id":2}', 1), "the member 'id' appears more than once");
  });

  it('is read when a serialiser wrote it, and is written again as it was', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const read = readStrict(text, { maxDepth: 64 });
        assert.ok(!('refused' in read));
        assert.equal(JSON.stringify(read.value), JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('is refused when any object in it has a member twice', () => {
    const member = fc.tuple(fc.string(), fc.json({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.array(member), fc.string(), fc.nat(8), (members, name, depth) => {
        const fields = [[name, '1'] as const, ...members, [name, '2'] as const];
        const text = `{${fields.map(([it, value]) => `${JSON.stringify(it)}:${value}`).join(',')}}`;
        assert.match(verdict(`${'[0,'.repeat(depth)}${text}${']'.repeat(depth)}`), /appears more than once$/);
      }),
    );
  });
});
