import assert from 'node:assert/strict';
import type { JWTPayload } from 'jose';
import { describe, it } from 'mocha';
import { callScope, claimsOf } from '../../../../../../sidecar/gateway/guardrails/signer/claims.ts';
import { audienceOf, headerFor } from '../../../../../../sidecar/gateway/guardrails/signer/target.ts';
import { callerOf, guardedCall, guardrail, type Known } from '../../../../../support/guardrails/calls.ts';

const everyone: Known = {
  key: { token: '0123456789abcdef0123456789abcdef', key_alias: 'ci', user_id: 'u-key', team_id: 't-key' },
  user: { user_id: 'u1', user_email: 'ada@example.org' },
  endUser: { user_id: 'e1' },
  team: { team_id: 't1' },
  organization: { organization_id: 'o1' },
};
const token: JWTPayload = { sub: 'alice', email: 'alice@idp.example', tenant: 'acme', groups: ['x'] };

function claims(fields: object, caller: Known = {}, incoming: JWTPayload = {}): JWTPayload {
  const verifying = { jwks_uri: 'https://idp.example/keys', verify_audience: 'gateway' };
  const params = { guardrail: 'mcp_jwt_signer', mode: 'pre_mcp_call', ...verifying, ...fields };
  const { gateway_params } = guardrail('sign', params);
  assert.ok(gateway_params.guardrail === 'mcp_jwt_signer');
  return claimsOf({ params: gateway_params, caller: callerOf(caller), incoming, scope: 's' });
}

describe('the claims of an assertion', () => {
  it('say who calls for whom', () => {
    assert.deepEqual(claims({}, everyone), {
      sub: 'u1',
      act: { sub: 't1' },
      scope: 's',
      email: 'ada@example.org',
      end_user_id: 'e1',
    });
  });

  it("prefer the caller's verified token", () => {
    const { sub, email } = claims({}, everyone, token);
    assert.deepEqual([sub, email], ['alice', 'alice@idp.example']);
  });

  const { user: _user, team: _team, ...noUser } = everyone;
  const subjects: readonly (readonly [title: string, fields: object, caller: Known, sub: string])[] = [
    ['the user of the key', {}, noUser, 'u-key'],
    ['the key, by half its hash', { end_user_claim_sources: ['token:none'] }, everyone, 'apikey:0123456789abcdef'],
    [
      'the first source that knows somebody',
      { end_user_claim_sources: ['token:none', 'end_user_id', 'user_id'] },
      everyone,
      'e1',
    ],
    ['no claim that is not a text', { end_user_claim_sources: ['token:groups', 'key_alias'] }, everyone, 'ci'],
    ['the address of the user', { end_user_claim_sources: ['user_email'] }, everyone, 'ada@example.org'],
  ];
  for (const [title, fields, caller, sub] of subjects) {
    it(`name as subject: ${title}`, () => assert.equal(claims(fields, caller, { groups: ['x'] }).sub, sub));
  }

  it('name as actor the team, else the organisation, else the gateway', () => {
    assert.deepEqual(claims({}, noUser)['act'], { sub: 't-key' });
    assert.deepEqual(claims({}, { organization: { organization_id: 'o1' } })['act'], { sub: 'o1' });
    assert.deepEqual(claims({})['act'], { sub: 'switchboard-gateway' });
  });

  it('take an empty name for none', () => {
    const nobody = {
      key: { token: '0123456789abcdef0123' },
      user: { user_id: '', user_email: 'ada@example.org' },
      team: { team_id: '' },
    };
    const { sub, act, email } = claims(
      {},
      { ...nobody, organization: { organization_id: 'o1' } },
      { sub: '', email: '' },
    );
    assert.deepEqual([sub, act, email], ['apikey:0123456789abcdef', { sub: 'o1' }, 'ada@example.org']);
  });

  it('pass on what is configured and is there', () => {
    const { tenant, missing, groups } = claims({ optional_claims: ['tenant', 'missing'] }, {}, token);
    assert.deepEqual([tenant, missing, groups], ['acme', undefined, undefined]);
  });

  it('are edited in the order add, set, remove', () => {
    const edits = {
      optional_claims: ['tenant'],
      add_claims: { tenant: 'added', plan: 'added', env: 'added', gone: 1 },
      set_claims: { env: 'set', sub: 'set', gone: 2 },
      remove_claims: ['gone', 'email'],
    };
    assert.deepEqual(claims(edits, everyone, token), {
      tenant: 'acme',
      plan: 'added',
      env: 'set',
      sub: 'set',
      act: { sub: 't1' },
      scope: 's',
      end_user_id: 'e1',
    });
  });
});

describe('the scope of a call', () => {
  it('names the one tool', () => {
    assert.equal(callScope('repo/get_file'), 'mcp:tools/call mcp:tools/repo/get_file:call');
  });

  it('cannot be made into two by the name of a tool', () => {
    assert.equal(callScope('x:call mcp:tools/list'), 'mcp:tools/call mcp:tools/x:call%20mcp:tools/list:call');
    assert.equal(callScope('"\\%é\ud800'), 'mcp:tools/call mcp:tools/%22%5C%25%C3%A9%EF%BF%BD:call');
  });
});

describe('the audience of an assertion', () => {
  for (const [url, audience] of [
    ['HTTPS://One.Example:443/mcp/', 'https://one.example/mcp'],
    ['https://u:p@one.example/mcp?key=1#x', 'https://one.example/mcp'],
    ['http://one.example:8080', 'http://one.example:8080'],
  ] as const) {
    it(`of ${url} is ${audience}`, () => assert.equal(audienceOf({ ...guardedCall().server, url }), audience));
  }

  it('is nobody where a server has no address', () => {
    for (const url of [null, '', 'nope']) {
      assert.throws(() => audienceOf({ ...guardedCall().server, url }), { code: 'unavailable' });
    }
  });
});

describe('the header of an assertion', () => {
  const own = 'x-gateway-assertion';
  for (const [server, configured, header] of [
    [{ auth_type: 'none' }, undefined, 'authorization'],
    [{ auth_type: null }, undefined, 'authorization'],
    [{ auth_type: undefined }, undefined, 'authorization'],
    [{ auth_type: 'api_key' }, undefined, 'authorization'],
    [{ auth_type: 'bearer_token' }, undefined, own],
    [{ auth_type: 'basic' }, undefined, own],
    [{ auth_type: 'authorization' }, undefined, own],
    [{ auth_type: 'token' }, undefined, own],
    [{ auth_type: 'oauth2' }, undefined, own],
    [{ auth_type: 'oauth2_token_exchange' }, undefined, own],
    [{ auth_type: 'cloud_sigv4' }, undefined, own],
    [{ auth_type: 'oauth2' }, 'Authorization', own],
    [{ auth_type: 'oauth2' }, 'X-Assertion', 'x-assertion'],
    [{ auth_type: 'api_key' }, 'X-API-Key', own],
    [{ static_headers: { ' Authorization': 'x' } }, undefined, own],
    [{ extra_headers: ['AUTHORIZATION'] }, undefined, own],
    [{ delegate_auth_to_upstream: true }, undefined, own],
    [{ oauth_passthrough: true }, undefined, own],
    [{ static_headers: { 'x-assertion': 'x' } }, 'X-Assertion', own],
  ] as const) {
    it(`is ${header} for ${JSON.stringify(server)} and ${configured ?? 'no wish'}`, () => {
      assert.equal(headerFor({ ...guardedCall().server, ...server }, configured), header);
    });
  }
});
