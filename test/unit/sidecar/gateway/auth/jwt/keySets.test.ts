import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { errors } from 'jose';
import { beforeEach, describe, it } from 'mocha';
import { FETCH_INTERVAL_MS, KeySetOfIssuer } from '../../../../../../sidecar/gateway/auth/jwt/keySets.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import { ConfigJwtIssuer } from '../../../../../../sidecar/protocol/gateway/config/jwt.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { verifies } from '../../../../../support/verifies.ts';

const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
const issuer = 'https://id.example.com';
const uri = `${issuer}/keys`;
const refreshMs = 600_000;
const staleMs = 3_600_000;

describe('the keys of an issuer', () => {
  let clock: SetClock;
  let kids: readonly string[];
  let isAway: boolean;
  let asked: string[];
  beforeEach(() => {
    [clock, kids, isAway, asked] = [new SetClock(), ['one'], false, []];
  });

  function open(more: object = { jwks_uri: uri }): KeySetOfIssuer {
    const config = ConfigJwtIssuer.parse({ issuer, audience: 'gateway', ...more });
    return new KeySetOfIssuer(config, answer, clock);
  }
  async function answer(url: string): Promise<unknown> {
    asked.push(url);
    if (isAway) throw new Fault('unavailable', 'away');
    return url === uri ? { keys: kids.map((kid) => ({ ...jwk, kid, alg: 'ES256' })) } : { issuer, jwks_uri: uri };
  }
  const find = async (keys: KeySetOfIssuer, kid: string) =>
    keys.find({ alg: 'ES256', kid }, { payload: '', signature: '', protected: '' });
  const isUnknown = (thrown: unknown) => thrown instanceof errors.JWKSNoMatchingKey;

  it('are fetched once for all who ask at the same time, and kept until they are old', async () => {
    verifies('gateway.jwt.keys');
    const keys = open();
    assert.deepEqual(asked, [], 'nothing is fetched before a token comes');
    await Promise.all(Array.from({ length: 20 }, () => find(keys, 'one')));
    clock.pass(refreshMs - 1);
    await find(keys, 'one');
    assert.equal(asked.length, 1);
    clock.pass(1);
    await Promise.all([find(keys, 'one'), find(keys, 'one')]);
    assert.equal(asked.length, 2);
  });

  it('are fetched again for one that is not among them, at most once an interval', async () => {
    verifies('gateway.jwt.keys');
    const keys = open();
    await find(keys, 'one');
    kids = ['one', 'two'];
    await assert.rejects(find(keys, 'two'), isUnknown, 'they have just been fetched');
    clock.pass(FETCH_INTERVAL_MS);
    await find(keys, 'two');
    for (let n = 0; n < 50; n += 1) await assert.rejects(find(keys, `flood ${n}`), isUnknown);
    assert.equal(asked.length, 2);
  });

  it('end with the set that no longer holds them', async () => {
    const keys = open();
    await find(keys, 'one');
    kids = ['two'];
    clock.pass(refreshMs);
    await assert.rejects(find(keys, 'one'), isUnknown);
  });

  it('are used for a time while the issuer is away, and no longer', async () => {
    verifies('gateway.jwt.keys');
    const keys = open();
    await find(keys, 'one');
    isAway = true;
    clock.pass(refreshMs + staleMs - 1);
    await find(keys, 'one');
    clock.pass(1);
    await assert.rejects(find(keys, 'one'), { code: 'unavailable' });
    isAway = false;
    await assert.rejects(find(keys, 'one'), { code: 'unavailable' }, 'the issuer was asked a moment ago');
    clock.pass(FETCH_INTERVAL_MS);
    await find(keys, 'one');
  });

  it('are looked for anew after a failure, where the issuer says where they are', async () => {
    const keys = open({});
    await find(keys, 'one');
    assert.deepEqual(asked, [`${issuer}/.well-known/openid-configuration`, uri]);
    clock.pass(refreshMs);
    await find(keys, 'one');
    assert.equal(asked.length, 3, 'the address is remembered');
    isAway = true;
    clock.pass(refreshMs);
    await find(keys, 'one');
    isAway = false;
    clock.pass(FETCH_INTERVAL_MS);
    await find(keys, 'one');
    assert.deepEqual(asked.slice(-2), [`${issuer}/.well-known/openid-configuration`, uri]);
  });

  it('are those of no document about another issuer, and never shared or unreadable ones', async () => {
    for (const bad of [{ issuer: 'https://evil.example.com', jwks_uri: uri }, { issuer }, undefined]) {
      const config = ConfigJwtIssuer.parse({ issuer, audience: 'gateway' });
      const keys = new KeySetOfIssuer(config, async () => bad, new SetClock());
      await assert.rejects(find(keys, 'one'), { code: 'unavailable' });
    }
    const shared = { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }] };
    const config = ConfigJwtIssuer.parse({ issuer, audience: 'gateway', jwks_uri: uri });
    const keys = new KeySetOfIssuer(config, async () => shared, new SetClock());
    await assert.rejects(
      async () => keys.find({ alg: 'HS256', kid: 'one' }, { payload: '', signature: '' }),
      errors.JOSEError,
    );
  });
});
