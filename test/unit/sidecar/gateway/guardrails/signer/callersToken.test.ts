import assert from 'node:assert/strict';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, it } from 'mocha';
import { guardedCall, guardrail } from '../../../../../support/guardrails/calls.ts';
import { guardrailsUnderTest } from '../../../../../support/guardrails/guardrailsUnderTest.ts';

const minute = 60_000;
const signing = (more: object = {}) => [
  guardrail('sign', { guardrail: 'mcp_jwt_signer', mode: 'pre_mcp_call', default_on: true, ...more }),
];

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
    const words = "The caller's token has no 'tenant' claim.";
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

  it('is believed by the keys of its own address alone, for ten minutes, and a minute beyond its end', async () => {
    const [mine, theirs] = [await identityProvider(), await identityProvider()];
    const sets = new Map([
      [uri, mine.jwk],
      ['https://other.example/keys', theirs.jwk],
    ]);
    const asked: string[] = [];
    const under = guardrailsUnderTest(verifying(), {
      fetchJwks: async (from) => {
        asked.push(from);
        return { keys: [sets.get(from)] };
      },
    });
    const isBelieved = async (bearer: string) =>
      (await under.guardrails.preMcpCall(guardedCall({}, { bearer }))).refusal === undefined;
    const fresh = () => mine.token({}, under.clock.nowMs());
    assert.ok(await isBelieved(await fresh()));
    under.configured = verifying({ jwks_uri: 'https://other.example/keys' });
    assert.equal(await isBelieved(await fresh()), false);
    assert.ok(await isBelieved(await theirs.token({}, under.clock.nowMs())));
    under.configured = verifying();
    sets.set(uri, theirs.jwk);
    under.clock.pass(10 * minute - 1);
    assert.ok(await isBelieved(await fresh()));
    under.clock.pass(1);
    assert.equal(await isBelieved(await fresh()), false, 'the key is no longer published');
    assert.deepEqual(asked, [uri, 'https://other.example/keys', uri]);
    const bearer = await theirs.token({}, under.clock.nowMs());
    under.clock.pass(118_000);
    assert.ok(await isBelieved(bearer));
    under.clock.pass(2_000);
    assert.equal(await isBelieved(bearer), false);
  });

  it('is not believed while its keys cannot be read', async () => {
    const { token } = await identityProvider();
    const under = guardrailsUnderTest(verifying(), { fetchJwks: () => Promise.resolve({ keys: 'none' }) });
    const bearer = await token({}, under.clock.nowMs());
    await assert.rejects(async () => under.guardrails.preMcpCall(guardedCall({}, { bearer })), { code: 'unavailable' });
  });
});
