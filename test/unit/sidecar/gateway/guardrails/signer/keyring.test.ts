import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { configuredKeyring, type Keyring } from '../../../../../../sidecar/gateway/guardrails/signer/keyring.ts';
import { phasesOf } from '../../../../../../sidecar/gateway/guardrails/signer/phases.ts';
import { storedKeyring } from '../../../../../../sidecar/gateway/guardrails/signer/storedKeyring.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { MemoryKeys } from '../../../../../support/guardrails/memoryStores.ts';
import { later } from '../../../../../support/later.ts';
import { keepingLog } from '../../../../../support/testLog.ts';

const minute = 60_000;
function open() {
  const clock = new SetClock();
  const store = new MemoryKeys();
  const { log, lines } = keepingLog();
  const replica = () => storedKeyring({ store, clock, log });
  return { clock, store, lines, replica, keyring: replica() };
}
const signer = async (keyring: Keyring) => (await keyring.signing()).kid;
const published = async (keyring: Keyring) => (await keyring.jwks()).keys.map((it) => it.kid);
const pemOf = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('generated signing keys', () => {
  it('are made once, shared by replicas and kept over restarts', async () => {
    const { keyring, replica, store } = open();
    const kids = await Promise.all([signer(keyring), signer(replica()), signer(replica())]);
    assert.equal(new Set(kids).size, 1);
    assert.equal(store.keys.length, 1);
    assert.equal(await signer(replica()), kids[0]);
  });

  it('are known by half the hash of the public key, and show nothing else', async () => {
    const { keyring, store } = open();
    const { keys, maxAgeSeconds } = await keyring.jwks();
    const der = createPublicKey(store.keys[0]?.pem ?? '').export({ type: 'spki', format: 'der' });
    assert.equal(keys[0]?.kid, createHash('sha256').update(der).digest('hex').slice(0, 16));
    assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
    assert.equal(Buffer.from(keys[0].n ?? '', 'base64url').length, 256);
    assert.equal(maxAgeSeconds, 300);
  });

  it('are published before they sign, and after', async () => {
    const { keyring, clock } = open();
    const before = await signer(keyring);
    await keyring.rotate();
    const [after, old] = await published(keyring);
    assert.equal(old, before);
    assert.notEqual(after, before);
    clock.pass(6 * minute);
    assert.equal(await signer(keyring), before);
    clock.pass(minute);
    assert.equal(await signer(keyring), after);
    assert.deepEqual(await published(keyring), [after, before]);
    clock.pass(10 * minute);
    assert.deepEqual(await published(keyring), [after, before]);
    clock.pass(minute);
    assert.deepEqual(await published(keyring), [after]);
  });

  it('are rotated one after the other', async () => {
    const { keyring, clock, store } = open();
    await keyring.jwks();
    await keyring.rotate();
    await assert.rejects(keyring.rotate(), { code: 'conflict' });
    clock.pass(18 * minute);
    await keyring.rotate();
    assert.equal(store.keys.length, 2);
  });

  it('go at once where they are lost', async () => {
    const { keyring, replica, clock } = open();
    const other = replica();
    const lost = await signer(other);
    await keyring.rotate();
    await keyring.rotate(true);
    const now = await published(keyring);
    assert.equal(now.length, 1);
    assert.equal(await signer(keyring), now[0]);
    assert.notEqual(now[0], lost);
    clock.pass(30_000);
    await signer(other);
    assert.deepEqual(await published(other), now);
  });

  it('are read again twice a minute, without anybody waiting', async () => {
    const { keyring, store, clock } = open();
    await signer(keyring);
    const { reads } = store;
    for (let n = 0; n < 10; n += 1) await signer(keyring);
    assert.equal(store.reads, reads);
    clock.pass(30_000);
    for (let n = 0; n < 10; n += 1) await signer(keyring);
    assert.equal(store.reads, reads + 1);
  });

  it('are known to the replica that rotated them at once, for half a minute without reading again', async () => {
    const { keyring, clock, store } = open();
    await keyring.rotate();
    const [first] = await published(keyring);
    assert.deepEqual([store.keys.length, await signer(keyring)], [1, first], 'where there was none, the new one signs');
    clock.pass(29_000);
    await keyring.rotate();
    const { reads } = store;
    clock.pass(29_999);
    assert.deepEqual([(await published(keyring))[1], store.reads], [first, reads]);
    clock.pass(1);
    await keyring.jwks();
    assert.equal(store.reads, reads + 1);
  });

  it('are of an age, in whatever order they are stored', async () => {
    const { keyring, replica, clock, store } = open();
    await keyring.jwks();
    clock.pass(minute);
    await keyring.rotate();
    const [kids, old] = [await published(keyring), await signer(keyring)];
    store.keys = store.keys.toReversed();
    const other = replica();
    assert.deepEqual([await published(other), await signer(other)], [kids, old]);
  });

  it('are written once, and no more than eight times tried where others are always faster', async () => {
    const { keyring, replica, store } = open();
    let saves = 0;
    const save = store.save.bind(store);
    store.save = (...values) => {
      saves += 1;
      return save(...values);
    };
    await signer(keyring);
    await signer(replica());
    assert.equal(saves, 1);
    store.save = async () => false;
    const { reads } = store;
    await assert.rejects(keyring.rotate(), { code: 'unavailable' });
    assert.equal(store.reads - reads, 8);
  });

  it('that were lost do not come back by a reading that began before', async () => {
    const { keyring, clock, store } = open();
    const lost = await signer(keyring);
    clock.pass(30_000);
    const [reading, load] = [later<void>(), store.load.bind(store)];
    store.load = async () => {
      const found = await load();
      await reading.promise;
      return found;
    };
    assert.equal(await signer(keyring), lost);
    store.load = load;
    await keyring.rotate(true);
    reading.resolve();
    await new Promise(setImmediate);
    const now = await published(keyring);
    assert.deepEqual([now.length, now.includes(lost)], [1, false]);
    assert.notEqual(await signer(keyring), lost);
  });

  it('are not used where nobody knows how old they are', async () => {
    const { keyring, store } = open();
    store.keys = [{ pem: pemOf(2048), created_at: 'yesterday' }];
    await assert.rejects(signer(keyring), { code: 'invalid_params', message: /'created_at'/ });
  });

  it('go on while the store is away, and the log says so', async () => {
    const { keyring, store, clock, lines } = open();
    const kid = await signer(keyring);
    store.failure = new Error('the store is away');
    clock.pass(30_000);
    assert.equal(await signer(keyring), kid);
    assert.equal(await signer(keyring), kid);
    assert.match(lines.join(), /The signing keys could not be reloaded\. The current keys remain in use/);
  });

  it('are asked for again after a store that was away at first', async () => {
    const { keyring, store } = open();
    store.failure = new Error('the store is away');
    await assert.rejects(signer(keyring), /the store is away/);
    store.failure = undefined;
    assert.equal((await signer(keyring)).length, 16);
  });

  it('are those of the replica that wrote first', async () => {
    const { keyring, store, clock } = open();
    const pem = pemOf(2048);
    store.beforeSave = () => {
      store.keys = [{ pem, created_at: clock.now() }];
    };
    await signer(keyring);
    assert.equal(store.keys[0]?.pem, pem);
  });
});

describe('the phases of keys', () => {
  it('begin and end to the millisecond: signing after 6.5 minutes, published 11 more', () => {
    const [old, fresh] = [{ createdMs: 0 }, { createdMs: 1_000 }];
    const at = (ms: number) => phasesOf([old, fresh], 1_000 + ms);
    assert.deepEqual([at(389_999).signing, at(390_000).signing], [old, fresh]);
    assert.deepEqual([at(1_049_999).published, at(1_050_000).published], [[fresh, old], [fresh]]);
  });

  it('always publish the key that signs, and every one that signed in the last ten minutes', () => {
    const at = fc.integer({ min: 0, max: 60 * minute });
    fc.assert(
      fc.property(fc.array(at, { minLength: 1, maxLength: 4 }), at, (times, now) => {
        const [first, ...rest] = times.sort((a, b) => a - b).map((createdMs) => ({ createdMs }));
        assert.ok(first);
        const { published: shown } = phasesOf([first, ...rest], now);
        for (let ago = 0; ago <= 10 * minute; ago += minute) {
          const known = [first, ...rest.filter((it) => it.createdMs <= now - ago)] as const;
          const { signing } = phasesOf([known[0], ...known.slice(1)], now - ago);
          assert.ok(shown.includes(signing), `signed ${ago} ms ago`);
        }
      }),
    );
  });
});

describe('signing keys of the operator', () => {
  it('are published for an hour, and the first signs', async () => {
    const keyring = configuredKeyring([pemOf(2048), pemOf(3072)]);
    const kids = await published(keyring);
    assert.equal(kids.length, 2);
    assert.equal(await signer(keyring), kids[0]);
    assert.equal((await keyring.jwks()).maxAgeSeconds, 3600);
  });

  it('are not rotated by the gateway', async () => {
    await assert.rejects(configuredKeyring([pemOf(2048)]).rotate(), { code: 'conflict' });
  });

  it('are refused where they are weak, of another kind or none, without being quoted', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const bad = [pemOf(1024), ec.export({ type: 'pkcs8', format: 'pem' }).toString(), 'canary'];
    for (const pem of bad) {
      await assert.rejects(configuredKeyring([pem]).signing(), {
        code: 'invalid_params',
        message: 'A signing key is not an RSA key of at least 2048 bits in PKCS #8 format.',
      });
    }
    await assert.rejects(configuredKeyring([]).signing(), { code: 'invalid_params' });
  });
});
