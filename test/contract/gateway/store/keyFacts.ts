import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { KeyRecord } from '../../../../sidecar/protocol/gateway/key.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';

const at = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: at, updated_at: at };

/** What reports know of the keys that they name, on either database. */
export function keyFactsContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`the facts of keys in reports on ${name}`, () => {
    let place: StorePlace;
    let store: GatewayStore;
    const key = (token: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
      token,
      token_id: `id of ${token}`,
      key_name: 'sk-...',
      rotation_count: 0,
      ...stamps,
      ...more,
    });
    before(async function start() {
      place = await open();
      store = await place.open(new StandingClock(at));
      await store.user.insert({ user_id: 'ann', user_email: 'ann@example.invalid', ...stamps });
      await store.key.insert(key('own', { key_alias: 'Own', user_id: 'ann', team_id: 't' }));
      await store.deleted_key.insert(key('gone', { key_alias: 'Gone', user_id: 'left' }));
      await store.deleted_key.insert(key('back', { key_alias: 'Before' }));
      await store.key.insert(key('back', { key_alias: 'Now' }));
    });
    after(async () => {
      await store.close();
      place.remove();
    });

    it('are those of a key that is there, else of one that was deleted, with the address of its person', async () => {
      const found = await store.activityReads.keyFacts(['own', 'gone', 'back', 'none', '']);
      const nobody = { team_id: null, user_id: null, user_email: null };
      assert.deepEqual(Object.fromEntries(found), {
        own: { key_alias: 'Own', team_id: 't', user_id: 'ann', user_email: 'ann@example.invalid' },
        gone: { ...nobody, key_alias: 'Gone', user_id: 'left' },
        back: { ...nobody, key_alias: 'Now' },
      });
    });

    it('are found among more keys than one statement takes, wherever they stand', async () => {
      for (const place of [0, 499, 500, 501, 1_000]) {
        const hashes = Array.from({ length: 1_001 }, (_, n) => (n === place ? 'own' : `none ${n}`));
        assert.deepEqual([...(await store.activityReads.keyFacts(hashes)).keys()], ['own'], `${place}`);
      }
    });
  });
}
