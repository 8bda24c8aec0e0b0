import assert from 'node:assert/strict';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
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

describe("a caller's own token", () => {
  const uri = 'https://idp.example/keys';
  const verifying = (more: object = {}) =>
    signing({ jwks_uri: uri, verify_issuer: 'idp', verify_audience: 'gateway', ...more });

  async function identityProvider(kid = 'k1') {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256' };
    const token = (claims: Record<string, unknown>, nowMs: number) =>
      new SignJWT({ iss: 'idp', aud: 'gateway', sub: 'alice', exp: Math.floor(nowMs / 1000) + 60, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(privateKey);
    return { jwk, token };
  }

  it('gives the subject when it is verified', async () => {
    const { jwk, token } = await identityProvider();
    const asked: string[] = [];
    const under = guardrailsUnderTest(verifying({ optional_claims: ['tenant'], required_claims: ['tenant'] }), {
      fetchJwks: (from) => {
        asked.push(from);
        return Promise.resolve({ keys: [jwk] });
      },
    });
    for (const tenant of ['acme', 'other']) {
      const bearer = await token({ tenant }, under.clock.nowMs());
      const { headers } = await under.guardrails.preMcpCall(guardedCall({}, { bearer }));
      const claims = decodeJwt(headers?.['authorization']?.slice(7) ?? '');
      assert.deepEqual([claims.sub, claims['tenant']], ['alice', tenant]);
    }
    assert.deepEqual(asked, [uri], 'the keys are fetched once');
  });

  it('refuses the call when it cannot be verified', async () => {
    const { jwk, token } = await identityProvider();
    const stranger = await identityProvider();
    const under = guardrailsUnderTest(verifying(), { fetchJwks: () => Promise.resolve({ keys: [jwk] }) });
    const now = under.clock.nowMs();
    const bad: Readonly<Record<string, string>> = {
      opaque: 'an-opaque-token',
      'of another issuer': await token({ iss: 'other' }, now),
      'for another audience': await token({ aud: 'other' }, now),
      'too old': await token({}, now - 10 * minute),
      'without an end': await token({ exp: undefined }, now),
      'signed by a stranger': await stranger.token({}, now),
      'not signed': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"a"}').toString('base64url')}.`,
    };
    for (const [title, bearer] of Object.entries(bad)) {
      const { refusal, headers } = await under.guardrails.preMcpCall(guardedCall({}, { bearer }));
      assert.equal(refusal?.message, "The caller's token could not be verified.", title);
      assert.equal(headers, undefined);
    }
  });

  it('must have the claims that are required, so a call without a token is refused', async () => {
    const { jwk, token } = await identityProvider();
    const more = { fetchJwks: () => Promise.resolve({ keys: [jwk] }) };
    const under = guardrailsUnderTest(verifying({ required_claims: ['tenant'] }), more);
    const words = "The caller's token has no claim 'tenant'.";
    const bearer = await token({}, under.clock.nowMs());
    assert.equal((await under.guardrails.preMcpCall(guardedCall({}, { bearer }))).refusal?.message, words);
    assert.equal((await under.guardrails.preMcpCall(guardedCall())).refusal?.message, words);
  });

  it('is not read at all where nobody said how to verify it', async () => {
    const under = guardrailsUnderTest(signing());
    const { token } = await identityProvider();
    const bearer = await token({}, under.clock.nowMs());
    const caller = { user: { user_id: 'u1' } };
    const { headers } = await under.guardrails.preMcpCall(guardedCall({}, { bearer, caller }));
    assert.equal(decodeJwt(headers?.['authorization']?.slice(7) ?? '').sub, 'u1');
  });

  it('may be signed by a key that is new, which is asked for at most twice a minute', async () => {
    const old = await identityProvider('k1');
    const fresh = await identityProvider('k2');
    let keys = [old.jwk];
    let asked = 0;
    const fetchJwks = () => {
      asked += 1;
      return Promise.resolve({ keys });
    };
    const under = guardrailsUnderTest(verifying(), { fetchJwks });
    const bearer = await fresh.token({}, under.clock.nowMs());
    const isRefused = async () =>
      (await under.guardrails.preMcpCall(guardedCall({}, { bearer }))).refusal !== undefined;
    assert.ok(await isRefused());
    keys = [old.jwk, fresh.jwk];
    assert.ok(await isRefused());
    assert.equal(asked, 1);
    under.clock.pass(30_000);
    assert.equal(await isRefused(), false);
    assert.equal(asked, 2);
  });

  it('is not believed while its keys cannot be read', async () => {
    const { token } = await identityProvider();
    const under = guardrailsUnderTest(verifying(), { fetchJwks: () => Promise.resolve({ keys: 'none' }) });
    const bearer = await token({}, under.clock.nowMs());
    await assert.rejects(under.guardrails.preMcpCall(guardedCall({}, { bearer })), { code: 'unavailable' });
  });
});
