import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { endOtherAdminKeys, keepAdminKey, makeFirstAdminKey } from '../../../../../sidecar/gateway/auth/adminKey.ts';
import { hashKey } from '../../../../../sidecar/gateway/auth/keys.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { KeyRecord } from '../../../../../sidecar/protocol/gateway/key.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';

const now = '2026-03-04T10:00:00.000Z';
const mine = 'sk-of-the-administrator-0001';
const other = 'sk-of-the-administrator-0002';

describe("the administrator's key", () => {
  let place: StorePlace;
  let store: GatewayStore;
  let ids = 0;
  const newId = () => `id-${(ids += 1)}`;
  const keep = (key = mine) => keepAdminKey(store, key, now, newId);
  const all = async () => (await store.key.all()).map((it) => `${it.token_id} ${it.role} ${it.blocked ?? false}`);
  const put = (key: string, more: Partial<KeyRecord>) =>
    store.key.insert({
      token: hashKey(key),
      token_id: 'before',
      key_name: 'sk-...',
      rotation_count: 0,
      created_at: now,
      updated_at: now,
      ...more,
    });

  beforeEach(async () => {
    ids = 0;
    place = await sqlitePlace();
    store = await place.open(new StandingClock(now));
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });

  it('is kept as its hash, once, with its last characters for people', async () => {
    const { token, key_name, role, token_id } = await keep();
    assert.deepEqual([token, key_name, role, token_id], [hashKey(mine), 'sk-...0001', 'proxy_admin', 'id-1']);
    assert.equal((await keep()).token_id, 'id-1');
    assert.deepEqual(await all(), ['id-1 proxy_admin false']);
  });
  for (const key of ['', 'short', 'sk-short', 'xx-of-the-administrator-0001', `${mine} `]) {
    it(`is refused where it is easy to guess: '${key}'`, async () => {
      await assert.rejects(keep(key), (it: Fault) => it.code === 'invalid_params');
      assert.deepEqual(await all(), []);
    });
  }
  for (const [says, more] of [
    ['somebody else has', { role: 'internal_user' }],
    ['says no role', {}],
    ['is blocked', { role: 'proxy_admin', blocked: true }],
  ] as const) {
    it(`opens the door again where its record ${says}, and counts as the same key`, async () => {
      await put(mine, more);
      assert.equal((await keep()).token_id, 'before');
      assert.deepEqual(await all(), ['before proxy_admin false']);
    });
  }
  it('is made once by two that start at the same time', async () => {
    const second = await place.open(new StandingClock(now), 'b');
    const [a, b] = await Promise.all([keep(), keepAdminKey(second, mine, now, newId)]);
    assert.deepEqual([a.token, b.token], [hashKey(mine), hashKey(mine)]);
    assert.equal((await all()).length, 1);
    await second.close();
  });
  it('is not said to be there where it could not be written', async () => {
    const failing = {
      key: {
        get: async () => undefined,
        insert: () => Promise.reject(new Fault('unavailable', 'The database is not responding.')),
      },
    } as unknown as GatewayStore;
    await assert.rejects(keepAdminKey(failing, mine, now, newId), (it: Fault) => it.code === 'unavailable');
  });

  describe('of a new gateway', () => {
    const make = (key: string, on: Pick<GatewayStore, 'key'> = store) => makeFirstAdminKey(on, key, now, newId);

    it('is made where nobody can get in, and given out once', async () => {
      await put('sk-of-somebody-else-0000001', { role: 'internal_user' });
      assert.equal(await make(mine), mine);
      assert.equal(await make(other), undefined);
      assert.equal((await store.key.get(hashKey(mine)))?.role, 'proxy_admin');
      assert.equal(await store.key.get(hashKey(other)), undefined);
    });
    it('is made by one of two that start together on an empty database', async () => {
      const second = await place.open(new StandingClock(now), 'b');
      const made = await Promise.all([make(mine), make(other, second)]);
      assert.equal(made.filter((it) => it !== undefined).length, 1);
      assert.equal((await all()).length, 1);
      await second.close();
    });
    it('is not said to be there where the name is taken and nobody can get in', async () => {
      await put('sk-of-somebody-else-0000001', { key_alias: 'first administrator' });
      await assert.rejects(make(mine), (it: Fault) => it.code === 'already_exists');
    });
    it('is not given out where it could not be written', async () => {
      const failing = {
        key: { all: async () => [], insert: () => Promise.reject(new Fault('unavailable', 'It does not answer.')) },
      } as unknown as GatewayStore;
      await assert.rejects(make(mine, failing), (it: Fault) => it.code === 'unavailable');
    });
  });

  it("ends the keys of other editors with its own, and nobody else's", async () => {
    await keep();
    await keep(other);
    await put('sk-made-by-the-administrator', { role: 'proxy_admin', token_id: 'made', key_alias: 'administrator-x' });
    const lookalike = 'sk-of-an-internal-user-0000001';
    const alias = `administrator-${hashKey(lookalike).slice(0, 8)}`;
    await put(lookalike, { role: 'internal_user', token_id: 'internal', key_alias: alias });
    await endOtherAdminKeys(store, mine);
    assert.deepEqual((await all()).sort(), [
      'id-1 proxy_admin false',
      'internal internal_user false',
      'made proxy_admin false',
    ]);
  });
});
