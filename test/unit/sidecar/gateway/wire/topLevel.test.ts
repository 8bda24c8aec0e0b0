import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readTopLevel } from '../../../../../sidecar/gateway/wire/topLevel.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the members of an object', () => {
  it('stand where the parser finds them, with any white space, for every object that JSON can write', () => {
    verifies('gateway.models.relayed');
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.constantFrom(undefined, 1, '\t'),
        (value, space) => {
          const bytes = Buffer.from(` \n${JSON.stringify(value, undefined, space)}\r\n`);
          const read = readTopLevel(bytes);
          assert.ok(!('refused' in read), 'refused' in read ? read.refused : '');
          const found = read.members.map(({ name, from, to }) => [name, JSON.parse(bytes.toString('utf8', from, to))]);
          const same = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
          const surrogates = Object.entries(same).map(([name, it]) => [name.replace(/\p{Surrogate}/gu, '\ufffd'), it]);
          assert.deepEqual(found, surrogates);
          assert.equal(bytes[read.end], 0x7d);
        },
      ),
    );
  });

  it('are read of nothing that the parser refuses', () => {
    verifies('gateway.models.relayed');
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '-',
      'true',
      'nul',
      '"\\"',
      ' ',
      '0',
      '.5',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const read = readTopLevel(Buffer.from(text));
        let isObject = false;
        try {
          const value: unknown = JSON.parse(text);
          isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        } catch {
          // It is no JSON.
        }
        if (!('refused' in read)) assert.ok(isObject, text);
      }),
      { numRuns: 5_000 },
    );
  });
});
