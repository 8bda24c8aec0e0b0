import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { findPerson, type Vouched } from '../../../../../../sidecar/gateway/auth/people/findPerson.ts';
import type { UserRecord } from '../../../../../../sidecar/protocol/gateway/people.ts';
import { type Managed, openManaged, start } from '../../../../../support/gateway/managed.ts';

const issuer = 'https://id.example.com';
const stamps = { created_at: start, updated_at: start };

describe('the user record of somebody for whom an identity provider vouches', () => {
  let gateway: Managed;
  before(async () => {
    gateway = await openManaged();
    const add = (record: Partial<UserRecord> & { readonly user_id: string }) =>
      gateway.store.user.insert({ ...record, ...stamps });
    await add({ user_id: 'ada', user_email: 'ada@example.com', identity: { issuer, subject: '1' } });
    await add({ user_id: 'bob', user_email: 'Bob@example.com' });
    await add({ user_id: 'eve', user_email: 'twins@example.com' });
    await add({ user_id: 'eva', user_email: 'twins@example.com' });
  });
  after(() => gateway.close());

  const rows: readonly (readonly [what: string, of: Vouched, is: string | undefined])[] = [
    [
      'the one with their identity, whatever else they say',
      { identity: { issuer, subject: '1' }, userId: 'bob' },
      'ada',
    ],
    ['the one with their user ID', { identity: { issuer, subject: '2' }, userId: 'bob' }, 'bob'],
    ['the one with their verified address', { identity: { issuer, subject: '2' }, email: 'bob@EXAMPLE.com' }, 'bob'],
    ['never one that belongs to another subject', { identity: { issuer, subject: '2' }, userId: 'ada' }, undefined],
    [
      'never one that belongs to the same subject of another provider',
      { identity: { issuer: 'https://evil.example.com', subject: '1' }, userId: 'ada', email: 'ada@example.com' },
      undefined,
    ],
    ['none of two with one address', { identity: { issuer, subject: '3' }, email: 'twins@example.com' }, undefined],
    ['none where nobody is known', { identity: { issuer, subject: '4' }, userId: 'zoe' }, undefined],
  ];
  for (const [what, vouched, is] of rows) {
    it(`is ${what}`, async () => assert.equal((await findPerson(gateway.store, vouched))?.user_id, is));
  }

  it('cannot be given the identity of another one', async () => {
    const twice = { user_id: 'second', identity: { issuer, subject: '1' }, ...stamps };
    await assert.rejects(gateway.store.user.insert(twice), { code: 'already_exists' });
  });
});
