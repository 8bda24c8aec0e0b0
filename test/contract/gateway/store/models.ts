import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { sealedNames } from '../../../../sidecar/gateway/storage/sealedValues.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { ModelRecord } from '../../../../sidecar/protocol/gateway/model.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { verifies } from '../../../support/verifies.ts';

const at = '2026-03-04T10:00:00.000Z';
const smallest = 0.000_000_15;
const model = (model_id: string, params: object = {}, more: Partial<ModelRecord> = {}): ModelRecord => ({
  model_id,
  model_name: 'smart',
  gateway_params: { model: 'openai/gpt-5', ...params },
  created_at: at,
  updated_at: at,
  ...more,
});

/** How models are stored, on either database. */
export function modelsContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`models in the store on ${name}`, () => {
    verifies('gateway.manage.models');
    let place: StorePlace;
    let store: GatewayStore;
    before(async function start() {
      place = await open();
      store = await place.open(new StandingClock(at));
    });
    after(async () => {
      await store.close();
      place.remove();
    });

    it('keep every setting, and several of them can share a name', async () => {
      const params = { input_cost_per_token: smallest, weight: 0.5, rpm: 3, allow_private_network: true };
      const one = model('m1', params, { model_info: { note: 'ü' } });
      const other = model('m2', { model: 'anthropic/claude-*' });
      await store.model.insert(one);
      await store.model.insert(other);
      const all = await store.model.all();
      assert.deepEqual(
        all.toSorted((a, b) => a.model_id.localeCompare(b.model_id)),
        [one, other],
      );
      await assert.rejects(store.model.insert(model('m1')), { code: 'already_exists' });
    });

    it('can be renamed to a pattern, and listeners are called for each change', async () => {
      await store.model.insert(model('m3'));
      const told: string[] = [];
      const stop = store.changes.listen((kind, id) => told.push(`${kind} ${id}`));
      await store.model.update('m3', (it) => ({ ...it, model_name: 'openai/*' }));
      assert.equal((await store.model.get('m3'))?.model_name, 'openai/*');
      assert.equal((await store.model.remove('m3'))?.model_id, 'm3');
      stop();
      assert.deepEqual(told, ['model m3', 'model m3']);
      assert.equal(await store.model.get('m3'), undefined);
    });

    it('keep their keys encrypted and separate from the keys of other models', async () => {
      const key = sealedNames.credentials;
      await store.secrets.put('model', 'm1', key, 'canary-of-m1');
      await store.secrets.put('model', 'm2', key, 'canary-of-m2');
      const rows = await store.database.db.selectFrom('secrets').selectAll().where('kind', '=', 'model').execute();
      assert.deepEqual([rows.length, JSON.stringify(rows).includes('canary')], [2, false]);
      await store.secrets.remove('model', 'm1');
      assert.deepEqual(
        [await store.secrets.get('model', 'm1', key), await store.secrets.get('model', 'm2', key)],
        [undefined, 'canary-of-m2'],
      );
    });
  });
}
