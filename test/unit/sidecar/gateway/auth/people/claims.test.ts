import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  claimAt,
  listClaim,
  textClaim,
  verifiedEmail,
  wordsClaim,
} from '../../../../../../sidecar/gateway/auth/people/claims.ts';

const claims = {
  sub: 'ada',
  'https://example.com/team': 'platform',
  realm_access: { roles: ['reader', 7, ''] },
  scope: 'tools:call  tools:list',
  groups: 'Platform Team',
  empty: '',
  long: 'x'.repeat(257),
  email: 'ada@example.com',
};

describe('claims of a token', () => {
  it('are found by name, also by one with dots, and by the path of a nested member', () => {
    assert.equal(textClaim(claims, 'sub'), 'ada');
    assert.equal(textClaim(claims, 'https://example.com/team'), 'platform');
    assert.deepEqual(listClaim(claims, 'realm_access.roles'), ['reader']);
  });

  it('are absent where they are empty, too long, no text, or inherited by every object', () => {
    for (const path of ['empty', 'long', 'realm_access', 'none', 'constructor.name', 'realm_access.roles.length'])
      assert.equal(textClaim(claims, path), undefined, path);
    assert.equal(claimAt(claims, '__proto__'), undefined);
  });

  it('keep the spaces of a name, and lose those between words', () => {
    assert.deepEqual(listClaim(claims, 'groups'), ['Platform Team']);
    assert.deepEqual(wordsClaim(claims, 'scope'), ['tools:call', 'tools:list']);
  });

  it('give an email address only where the provider says that it has verified it', () => {
    assert.equal(verifiedEmail(claims), undefined);
    assert.equal(verifiedEmail({ ...claims, email_verified: 'true' }), undefined);
    assert.equal(verifiedEmail({ ...claims, email_verified: true }), 'ada@example.com');
    assert.equal(verifiedEmail({ email: 'ada', email_verified: true }), undefined);
  });
});
