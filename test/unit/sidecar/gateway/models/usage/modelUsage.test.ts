import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { memberOf } from '../../../../../../sidecar/gateway/models/usage/modelUsage.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('a member of a response', () => {
  verifies('gateway.models.tokens');
  const rows: readonly [says: string, text: string, value: unknown][] = [
    ['is parsed', '{"id":1,"usage":{"n":2}}', { n: 2 }],
    ['is undefined if it is missing', '{"id":1}', undefined],
    ['is undefined if the response is not an object', '[{"usage":1}]', undefined],
    ['is undefined if it has an invalid escape', String.raw`{"usage":{"n":"\x"}}`, undefined],
    ['is undefined if it has a control character', '{"usage":{"n":"\n"}}', undefined],
  ];
  for (const [says, text, value] of rows) it(says, () => assert.deepEqual(memberOf(Buffer.from(text), 'usage'), value));
});
