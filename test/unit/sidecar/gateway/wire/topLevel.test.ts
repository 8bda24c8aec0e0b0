import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readTopLevel } from '../../../../../sidecar/gateway/wire/topLevel.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the members of an object', () => {
  it('are where JSON.parse finds them, for every JSON object and with any white space', () => {
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

  it('are not read from text that JSON.parse refuses', () => {
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
