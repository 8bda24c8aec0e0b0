import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { DAY_MS } from '../../../../sidecar/protocol/gateway/duration.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { verifies } from '../../../support/verifies.ts';

/** Who the contexts and tasks of agents belong to, kept the same way by each database. */
export function ownersContract(kind: string, open: () => Promise<StorePlace>): void {
  describe(`owners of conversations on ${kind}`, function database() {
    let place: StorePlace;
    let one: GatewayStore;
    let two: GatewayStore;
    const now = 1_000 * DAY_MS;

    beforeEach(async () => {
      place = await open();
      one = await place.open(new SetClock(), 'one');
      two = await place.open(new SetClock(), 'two');
    });
    afterEach(async () => {
      await one.close();
      await two.close();
      place.remove();
    });

    it('are whoever came first, for everybody who claims at the same time', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `id-${index}`);
      const claims = await Promise.all(
        ids.flatMap((id) => [one.a2aOwners.claim([id], 'a', now), two.a2aOwners.claim([id], 'b', now)]),
      );
      for (const [index, id] of ids.entries()) {
        const told = [
          claims[2 * index]?.get(id),
          claims[2 * index + 1]?.get(id),
          (await two.a2aOwners.of([id], now)).get(id),
        ];
        assert.ok(told[0] === 'a' || told[0] === 'b');
        assert.deepEqual(told, Array(3).fill(told[0]));
      }
    });

    it('are found for more ids than one statement takes, and for none that nobody has', async () => {
      const ids = Array.from({ length: 1_201 }, (_, index) => `id-${index}`);
      await one.a2aOwners.claim(ids.slice(1), 'a', now);
      const found = await one.a2aOwners.of(ids, now);
      assert.deepEqual([found.size, found.has('id-0'), found.get('id-1200')], [1_200, false, 'a']);
    });

    it('are forgotten when nobody named the id for as long as lines are kept, and not before', async () => {
      verifies('gateway.a2a.owners-kept');
      const ids = Array.from({ length: 1_100 }, (_, index) => `id-${index}`);
      await one.a2aOwners.claim(ids, 'a', now);
      await one.a2aOwners.of(['id-7'], now + 60 * DAY_MS);
      await one.a2aOwners.forget(now);
      assert.equal((await one.a2aOwners.of(ids, now)).size, 1_100);
      await one.a2aOwners.forget(now + DAY_MS);
      assert.deepEqual([...(await two.a2aOwners.of(ids, now + DAY_MS)).keys()], ['id-7']);
    });
  });
}
