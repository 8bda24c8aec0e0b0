import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  type BearerChallenge,
  readBearerChallenge,
} from '../../../../../../sidecar/gateway/backends/oauth/bearerChallenge.ts';

const metadata = 'https://mcp.example/.well-known/oauth-protected-resource';
const rows: readonly (readonly [string, string | string[] | undefined, BearerChallenge | undefined])[] = [
  ['is none without a header', undefined, undefined],
  ['is none of another scheme', 'Basic realm="Bearer, scope=x"', undefined],
  ['may say nothing', 'Bearer', {}],
  [
    'names document and scopes',
    `Bearer resource_metadata="${metadata}", scope="a b"`,
    { resource_metadata: metadata, scopes: ['a', 'b'] },
  ],
  [
    'is read in any case and without quotes',
    'bearer ERROR=insufficient_scope, Scope=a',
    { error: 'insufficient_scope', scopes: ['a'] },
  ],
  ['stands between others', 'Basic realm="x", Bearer scope="a", Digest scope="b"', { scopes: ['a'] }],
  ['stands in a line of its own', ['Basic realm="x"', 'Bearer scope="a"'], { scopes: ['a'] }],
  [
    'may hold quotes and commas in quotes',
    'Bearer error="in\\"valid, Digest x=y", scope="a"',
    { error: 'in"valid, Digest x=y', scopes: ['a'] },
  ],
];

describe('the challenge of a server that wants a token', () => {
  for (const [says, header, expected] of rows) it(says, () => assert.deepEqual(readBearerChallenge(header), expected));
});
