import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { ambiguityOf } from '../../../../../sidecar/gateway/a2a/strictJson.ts';

describe('a JSON text that is relayed as it came', () => {
  const rows: readonly [text: string, says: string | undefined][] = [
    ['{"a":1,"b":2}', undefined],
    ['{"a":{"a":{"a":1}}}', undefined],
    ['[{"a":1},{"a":1}]', undefined],
    ['{"a":"a","b":"a"}', undefined],
    ['{"a":["b","b"],"b":1}', undefined],
    ['{"a":"\\"b\\":1","b":1}', undefined],
    ['"a"', undefined],
    ['{"a":1,"a":2}', 'repeated member'],
    ['{"a":1,"\\u0061":2}', 'repeated member'],
    ['{"a" : 1 , "a"\n:2}', 'repeated member'],
    ['{"x":[{"y":{"url":1,"z":[{}],"url":2}}]}', 'repeated member'],
    ['{"":1,"":2}', 'repeated member'],
    ['{"__proto__":1,"__proto__":2}', 'repeated member'],
    [`${'['.repeat(128)}${']'.repeat(128)}`, undefined],
    [`${'['.repeat(129)}${']'.repeat(129)}`, 'nested too deep'],
  ];
  for (const [text, says] of rows) {
    it(`${text.slice(0, 50)} is ${says ?? 'the same to every reader'}`, () => assert.equal(ambiguityOf(text), says));
  }

  it('is never refused when a serialiser wrote it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        assert.equal(ambiguityOf(JSON.stringify(JSON.parse(text), null, 1)), undefined);
      }),
    );
  });

  it('is refused when any object in it has a member twice', () => {
    const member = fc.tuple(fc.string(), fc.json({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.array(member), fc.string(), fc.nat(8), (members, name, depth) => {
        const fields = [[name, '1'] as const, ...members, [name, '2'] as const];
        const text = `{${fields.map(([it, value]) => `${JSON.stringify(it)}:${value}`).join(',')}}`;
        assert.equal(ambiguityOf(`${'[0,'.repeat(depth)}${text}${']'.repeat(depth)}`), 'repeated member');
      }),
    );
  });
});
