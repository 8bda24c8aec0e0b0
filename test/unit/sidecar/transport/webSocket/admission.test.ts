import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { admit } from '../../../../../sidecar/transport/webSocket/admission.ts';
import { Pace } from '../../../../../sidecar/transport/webSocket/pace.ts';

const token = 'a-token-of-the-test';
const credentialOf = (given: string) => (given === token ? 'c' : undefined);
const rules = { credentialOf, allowedHosts: ['box.example'], allowedOrigins: ['https://good.example'] };
const good = { host: '127.0.0.1:4000', authorization: `Bearer ${token}` };

describe('an upgrade to a WebSocket', () => {
  for (const { says, headers, url, status } of [
    { says: 'with the token in its header', headers: good, status: 'ok' },
    { says: 'with the token in its address', headers: { host: 'localhost' }, url: `/?a=b&tkn=${token}`, status: 'ok' },
    { says: 'by the name of IPv6', headers: { ...good, host: '[::1]:80' }, status: 'ok' },
    { says: 'by a name that is allowed', headers: { ...good, host: 'BOX.example:443' }, status: 'ok' },
    { says: 'of a page that is allowed', headers: { ...good, origin: 'https://good.example' }, status: 'ok' },
    { says: 'without a token', headers: { host: 'localhost' }, status: 401 },
    { says: 'with an empty token', headers: { host: 'localhost' }, url: '/?tkn=', status: 401 },
    { says: 'with half the token', headers: { ...good, authorization: 'Bearer a-token' }, status: 401 },
    { says: 'with the token and more', headers: { ...good, authorization: `Bearer ${token}x` }, status: 401 },
    { says: 'with the token for a password', headers: { ...good, authorization: `Basic ${token}` }, status: 401 },
    {
      says: 'with a wrong header and the right address',
      headers: { ...good, authorization: 'Bearer x' },
      url: `/?tkn=${token}`,
      status: 401,
    },
    { says: 'of another page', headers: { ...good, origin: 'https://evil.example' }, status: 403 },
    { says: 'of a page without an origin', headers: { ...good, origin: 'null' }, status: 403 },
    { says: 'of this very port as a page', headers: { ...good, origin: 'http://127.0.0.1:4000' }, status: 403 },
    { says: 'by a name that points here now', headers: { ...good, host: 'evil.example:4000' }, status: 403 },
    { says: 'by a name that begins as ours', headers: { ...good, host: 'localhost.evil.example' }, status: 403 },
    { says: 'by a name that begins as an address', headers: { ...good, host: '127.evil.example' }, status: 403 },
    { says: 'by no name', headers: { authorization: good.authorization }, status: 400 },
    { says: 'by a name with a user in it', headers: { ...good, host: 'localhost@evil.example' }, status: 400 },
  ] satisfies { says: string; headers: Record<string, string>; url?: string; status: number | 'ok' }[]) {
    it(`${says}: ${status}`, () => {
      const verdict = admit({ headers, url: url ?? '/' }, rules);
      assert.equal(verdict.ok ? 'ok' : verdict.status, status);
    });
  }
});

describe('the pace of a client', () => {
  it('lets a burst of one second through, and then what comes in that time', () => {
    let nowMs = 0;
    const pace = new Pace(10, () => nowMs);
    const waits = Array.from({ length: 12 }, () => pace.spend());
    assert.deepEqual(waits, [0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 200, 300]);
    nowMs = 5_000;
    assert.equal(pace.spend(), 0);
  });
});
