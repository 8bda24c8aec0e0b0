import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { GuardedCall } from '../../../../../../sidecar/gateway/guardrails/call.ts';
import type { Listening } from '../../../../../support/backends/listen.ts';
import { assertingBackend, jwksServer, visit } from '../../../../../support/guardrails/assertingBackend.ts';
import { guardedCall, guardrail } from '../../../../../support/guardrails/calls.ts';
import {
  type GuardrailsUnderTest,
  guardrailsUnderTest,
} from '../../../../../support/guardrails/guardrailsUnderTest.ts';

const minute = 60_000;
const signing = (more: object = {}) => [
  guardrail('sign', { guardrail: 'mcp_jwt_signer', mode: 'pre_mcp_call', default_on: true, ...more }),
];
const callOf = (backend: Listening, more: Parameters<typeof guardedCall>[1] = {}) =>
  guardedCall({}, { ...more, server: { url: `${backend.url}/mcp`, ...more.server } });

describe('a signed tool call, at a real backend that verifies it', () => {
  let under: GuardrailsUnderTest;
  let jwks: Awaited<ReturnType<typeof jwksServer>>;
  let one: Listening;
  let other: Listening;

  beforeEach(async () => {
    under = guardrailsUnderTest(signing());
    jwks = await jwksServer(() => under.guardrails.jwks());
    one = await assertingBackend(jwks.url, under.clock);
    other = await assertingBackend(jwks.url, under.clock);
  });
  afterEach(() => Promise.all([jwks.close(), one.close(), other.close()]));

  const headersFor = async (call: GuardedCall) => {
    const verdict = await under.guardrails.preMcpCall(call);
    assert.equal(verdict.refusal, undefined);
    return { ...verdict.headers };
  };

  it('says who, what, for whom and until when', async () => {
    const caller = { user: { user_id: 'u1' }, team: { team_id: 't1' } };
    const now = Math.floor(under.clock.nowMs() / 1000);
    assert.deepEqual(await visit(one, await headersFor(callOf(one, { caller, tool: 'get_file' }))), {
      status: 200,
      claims: {
        iss: 'https://gateway.example',
        aud: `${one.url}/mcp`,
        iat: now,
        nbf: now,
        exp: now + 300,
        jti: 'id-1',
        sub: 'u1',
        act: { sub: 't1' },
        scope: 'mcp:tools/call mcp:tools/get_file:call',
      },
    });
  });

  it('is refused without an assertion, and with that of another server', async () => {
    assert.equal((await visit(one)).status, 401);
    const headers = await headersFor(callOf(one));
    assert.equal((await visit(one, headers)).status, 200);
    assert.deepEqual(await visit(other, headers), { status: 401, code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' });
  });

  it('is over after its time', async () => {
    under.configured = signing({ token_ttl_seconds: 60 });
    const headers = await headersFor(callOf(one));
    under.clock.pass(59_000);
    assert.equal((await visit(one, headers)).status, 200);
    under.clock.pass(2_000);
    assert.deepEqual(await visit(one, headers), { status: 401, code: 'ERR_JWT_EXPIRED' });
  });

  it('has another id each time', async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) {
      const verified = await visit(one, await headersFor(callOf(one)));
      assert.equal(verified.status, 200);
      ids.push(verified.claims.jti);
    }
    assert.equal(new Set(ids).size, 3);
  });

  it('is believed before, while and after keys are rotated', async () => {
    const before = await headersFor(callOf(one));
    assert.equal((await visit(one, before)).status, 200);
    const asked = jwks.asked();
    await under.guardrails.rotateKeys();
    assert.equal((await visit(one, await headersFor(callOf(one)))).status, 200);
    assert.equal(jwks.asked(), asked, 'the old key still signs, so nobody has to ask for a new one');
    under.clock.pass(6.4 * minute);
    const last = await headersFor(callOf(one));
    under.clock.pass(0.1 * minute);
    const first = await headersFor(callOf(one));
    assert.notEqual(first['authorization']?.slice(0, 60), last['authorization']?.slice(0, 60));
    assert.equal((await visit(one, first)).status, 200);
    assert.equal((await visit(one, last)).status, 200);
    under.clock.pass(12 * minute);
    assert.equal((await under.guardrails.jwks()).keys.length, 1);
    assert.equal((await visit(one, await headersFor(callOf(one)))).status, 200);
  });

  it('is no longer believed when the key that signed it was lost', async () => {
    const stolen = await headersFor(callOf(other));
    await under.guardrails.rotateKeys(true);
    assert.equal((await visit(other, await headersFor(callOf(other)))).status, 200);
    assert.deepEqual(await visit(other, stolen), { status: 401, code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  it('is believed from any replica, and after a restart', async () => {
    await headersFor(callOf(one));
    const replica = guardrailsUnderTest(signing(), { shared: under });
    const verdict = await replica.guardrails.preMcpCall(callOf(one));
    assert.equal((await visit(one, { ...verdict.headers })).status, 200);
  });

  it('carries each edit of its claims', async () => {
    under.configured = signing({
      issuer: 'https://issuer.example',
      add_claims: { env: 'test', scope: 'not used' },
      set_claims: { act: { sub: 'robot' } },
      remove_claims: ['sub'],
    });
    const verified = await visit(one, await headersFor(callOf(one)));
    assert.equal(verified.status, 200);
    const { iss, env, scope, act, sub } = verified.claims;
    const expected = [
      'https://issuer.example',
      'test',
      'mcp:tools/call mcp:tools/search:call',
      { sub: 'robot' },
      undefined,
    ];
    assert.deepEqual([iss, env, scope, act, sub], expected);
  });

  it('goes beside a credential that owns Authorization', async () => {
    const headers = await headersFor(callOf(one, { server: { auth_type: 'bearer_token' } }));
    assert.deepEqual(Object.keys(headers), ['x-gateway-assertion']);
    assert.equal((await visit(one, { ...headers, authorization: 'Bearer static' })).status, 200);
  });

  it('may carry a second token for a channel', async () => {
    under.configured = signing({ audience: 'a', channel_token_audience: 'channel', channel_token_ttl: 120 });
    const headers = await headersFor(callOf(one));
    const { aud, exp = 0, iat = 0 } = decodeJwt(headers['x-mcp-channel-token'] ?? '');
    assert.deepEqual([aud, exp - iat], ['channel', 120]);
    assert.equal(decodeJwt(headers['authorization']?.slice(7) ?? '').aud, 'a');
    under.configured = signing({ token_ttl_seconds: 90, channel_token_audience: 'channel' });
    const channel = decodeJwt((await headersFor(callOf(one)))['x-mcp-channel-token'] ?? '');
    assert.equal((channel.exp ?? 0) - (channel.iat ?? 0), 90);
    assert.notEqual(channel.jti, undefined);
  });

  it('may not list tools, and a list may do nothing else', async () => {
    const { headers } = await under.guardrails.preMcpList(callOf(one));
    const verified = await visit(one, headers);
    assert.equal(verified.status, 200);
    assert.equal(verified.claims['scope'], 'mcp:tools/list');
  });

  it('has no header where there is no HTTP', async () => {
    const call = guardedCall({}, { server: { transport: 'stdio', url: null } });
    assert.deepEqual(await under.guardrails.preMcpCall(call), {});
  });

  it('is not sent where it would be longer than headers may be', async () => {
    under.configured = signing({ set_claims: { much: 'x'.repeat(8_000) } });
    const { refusal } = await under.guardrails.preMcpCall(callOf(one));
    assert.equal(refusal?.message, 'The assertion is too long for a header.');
  });
});
