import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isAllowed, rightsOf } from '../../../../../../sidecar/gateway/oauth/signin/mapping.ts';
import { SignInConfig } from '../../../../../../sidecar/protocol/gateway/config/signIn.ts';
import { verifies } from '../../../../../support/verifies.ts';

const config = (more: object) =>
  SignInConfig.parse({ issuer: 'https://id.example.com', client_id: 'c', allow: { everyone: true }, ...more });

describe('what groups give', () => {
  const options = config({
    groups: {
      admins: { user_role: 'proxy_admin', teams: { platform: 'user' } },
      readers: { user_role: 'internal_user_viewer', organizations: { acme: 'internal_user' } },
      leads: { teams: { platform: 'admin', data: 'user' }, organizations: { acme: 'org_admin' } },
    },
  });
  const rows: readonly (readonly [held: readonly string[], role: string | undefined, teams: object, orgs: object])[] = [
    [[], undefined, {}, {}],
    [['nobody mapped this', '__proto__', 'constructor'], undefined, {}, {}],
    [['readers', 'admins'], 'proxy_admin', { platform: 'user' }, { acme: 'internal_user' }],
    [['leads', 'admins', 'readers'], 'proxy_admin', { platform: 'admin', data: 'user' }, { acme: 'org_admin' }],
    [['readers', 'leads'], 'internal_user_viewer', { platform: 'admin', data: 'user' }, { acme: 'org_admin' }],
  ];
  for (const [held, role, teams, organizations] of rows)
    it(`is the highest of each for ${JSON.stringify(held)}`, () => {
      verifies('gateway.ui.sign-in.groups');
      const rights = rightsOf(options, held);
      assert.equal(rights.user_role, role);
      assert.deepEqual([rights.teams, rights.organizations], [teams, organizations]);
    });
});

describe('who may sign in', () => {
  const verified = { email: 'ada@Example.com', email_verified: true };
  const rows: readonly (readonly [what: string, allow: object, claims: object, is: boolean])[] = [
    ['everyone', { everyone: true }, {}, true],
    ['a member of a group', { groups: ['staff'] }, { groups: ['staff'] }, true],
    ['no member of other groups', { groups: ['staff'] }, { groups: ['guests'] }, false],
    ['somebody with a verified address in a domain', { email_domains: ['EXAMPLE.com'] }, verified, true],
    ['nobody in a domain that begins alike', { email_domains: ['example.co'] }, verified, false],
    [
      'nobody with an address of several parts',
      { email_domains: ['example.com'] },
      { email: 'a@example.com@evil.example', email_verified: true },
      false,
    ],
    ['nobody whose address is not verified', { email_domains: ['example.com'] }, { email: 'a@example.com' }, false],
  ];
  for (const [what, allow, claims, is] of rows)
    it(`is ${what}`, () => {
      verifies('gateway.ui.sign-in');
      assert.equal(isAllowed(config({ allow }), claims as Record<string, unknown>), is);
    });
});

describe('the configuration of the sign-in', () => {
  const rows: readonly (readonly [what: string, more: object])[] = [
    ['an issuer over plain http', { issuer: 'http://id.example.com' }],
    ['an issuer over plain http whose name begins as this machine', { issuer: 'http://localhost.evil.example' }],
    ['an issuer with a query', { issuer: 'https://id.example.com/?x=1' }],
    ['a rule that allows nobody', { allow: {} }],
    ['a parameter that would replace one of the gateway', { authorization_parameters: { redirect_uri: 'x' } }],
    ['a role that does not exist', { groups: { staff: { user_role: 'root' } } }],
  ];
  for (const [what, more] of rows)
    it(`is refused with ${what}`, () => {
      verifies('gateway.ui.sign-in');
      assert.throws(() => config(more));
    });
});
