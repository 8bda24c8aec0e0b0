import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { signRequest } from '../../../../../../sidecar/gateway/backends/aws/signRequest.ts';
import { signingKey, verifySigv4 } from '../../../../../support/backends/verifySigv4.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const nowMs = Date.parse('2015-08-30T12:36:00Z');
const suite = { credentials, region: 'us-east-1', service: 'service', nowMs };

describe('SigV4 against the published vectors', () => {
  const form = 'application/x-www-form-urlencoded; charset=utf-8';
  const rows: readonly [string, { method: string; url: string; headers: Record<string, string> }, string, string][] = [
    [
      'get-vanilla',
      { method: 'GET', url: 'https://example.amazonaws.com/', headers: {} },
      'service',
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    ],
    [
      'post-vanilla',
      { method: 'POST', url: 'https://example.amazonaws.com/', headers: {} },
      'service',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'IAM ListUsers',
      {
        method: 'GET',
        url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
        headers: { 'content-type': form },
      },
      'iam',
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    ],
  ];
  for (const [name, request, service, signature] of rows) {
    it(`signs ${name} as it was published`, async () => {
      const headers = await signRequest(request, { ...suite, service });
      assert.equal(headers['authorization']?.split('Signature=')[1], signature);
      assert.equal(headers['x-amz-date'], '20150830T123600Z');
    });
  }

  it('the signing key that our verifier derives is the published one', () => {
    const key = signingKey(credentials.secretAccessKey, '20150830', 'us-east-1', 'iam');
    assert.equal(key.toString('hex'), 'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9');
  });
});

describe('a signature', () => {
  const url = 'https://b.example/runtimes/arn%3Aaws%3Ax%2Fy/invocations?qualifier=a%20b&z=%2B&a=1&a=0';

  it('covers host, content type and x-amz headers, and is replaced when it was there', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-amz-target': 'T',
      accept: 'a',
      authorization: 'old',
      'x-amz-date': 'old',
    };
    const signed = await signRequest({ method: 'POST', url, headers, body: '{}' }, suite);
    assert.deepEqual(Object.keys(signed).sort(), ['authorization', 'x-amz-date']);
    assert.match(signed['authorization'] ?? '', /SignedHeaders=content-type;host;x-amz-date;x-amz-target,/);
  });

  it('is right by an independent verifier for any path, query and body, and wrong when one byte changes', async () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .map(encodeURIComponent)
      .filter((it) => !/^\.{1,2}$/.test(it));
    const pair = fc.tuple(segment, segment).map((it) => it.join('='));
    await fc.assert(
      fc.asyncProperty(fc.array(segment), fc.array(pair), fc.string(), async (path, query, body) => {
        const at = new URL(`https://b.example/${path.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}`);
        const signed = await signRequest({ method: 'POST', url: at.href, headers: {}, body }, suite);
        const heard = {
          method: 'POST',
          path: at.pathname + at.search,
          headers: { host: at.host, ...signed },
          rawHeaders: [],
          body: Buffer.from(body),
        };
        assert.deepEqual(
          verifySigv4(heard, () => credentials.secretAccessKey),
          ['host', 'x-amz-date'],
        );
        assert.throws(() =>
          verifySigv4({ ...heard, body: Buffer.from(`${body} `) }, () => credentials.secretAccessKey),
        );
      }),
      {
        numRuns: 60,
        examples: [
          [[], ['toString=%20', 'valueOf=1', 'toString=2'], ''],
          [[], ['a%20=1', 'a=2'], ''],
        ],
      },
    );
  });
});
