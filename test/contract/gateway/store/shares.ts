import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';

const at = '2026-03-04T10:00:00.000Z';
const nowMs = Date.parse(at);
const HOUR = 60 * 60_000;

/** Shares of a limit that replicas set aside: PostgreSQL only. */
export function sharesContract(open: () => Promise<StorePlace>): void {
  describe('shares of a limit on PostgreSQL', () => {
    const clock = new StandingClock(at);
    let place: StorePlace;
    let store: GatewayStore;
    before(async function start() {
      place = await open();
      store = await place.open(clock);
    });
    after(async () => {
      await store.close();
      place.remove();
    });
    const ask = { holder: 'one', max: 10, atLeast: 1, share: 0.25, isCount: false, nowMs, expiresAtMs: nowMs + HOUR };
    let counters = 0;
    const fresh = () => {
      counters += 1;
      return `counter ${counters}`;
    };

    const rows: readonly (readonly [what: string, more: Partial<typeof ask>, granted: number])[] = [
      ['a quarter of what is left', {}, 2.5],
      ['whole ones, and one more than a quarter', { isCount: true }, 3],
      ['what is asked for, where that is more', { atLeast: 4 }, 4],
      ['all that is left', { atLeast: 10 }, 10],
      ['all that is left, also where prices are never exact', { max: 0.3, atLeast: 0.1 + 0.2 }, 0.1 + 0.2],
      ['nothing where less is left than is of use', { atLeast: 10.1 }, 0],
      ['nothing where nothing is left', { max: 0 }, 0],
    ];
    for (const [what, more, granted] of rows) {
      it(`are ${what}`, async () => {
        const found = await store.reservations.lease({ counter: fresh(), ...ask, ...more });
        assert.deepEqual(found, { granted, remaining: more.max ?? 10 });
      });
    }

    it('are of what neither was spent nor is set aside by anybody, and add up for their holder', async () => {
      const counter = fresh();
      const lease = (more: Partial<typeof ask> = {}) => store.reservations.lease({ counter, ...ask, ...more });
      assert.deepEqual(await lease(), { granted: 2.5, remaining: 10 });
      assert.deepEqual(await lease({ holder: 'two', atLeast: 5.5 }), { granted: 5.5, remaining: 7.5 });
      assert.deepEqual(await lease(), { granted: 1, remaining: 2 });
      assert.deepEqual(await lease(), { granted: 1, remaining: 1 });
      assert.deepEqual(await lease(), { granted: 0, remaining: 0 });
      const held = await store.database.db
        .selectFrom('allowances')
        .selectAll()
        .where('counter', '=', counter)
        .execute();
      assert.deepEqual(held.map((it) => `${it.holder} ${it.amount}`).sort(), ['one 4.5', 'two 5.5']);
    });
    it('are free again at their end, and none of an old one is in a new one', async () => {
      const counter = fresh();
      await store.reservations.lease({ counter, ...ask, atLeast: 8 });
      const later = { counter, ...ask, nowMs: ask.expiresAtMs, expiresAtMs: ask.expiresAtMs + HOUR };
      assert.deepEqual(await store.reservations.lease({ ...later, nowMs: later.nowMs - 1 }), {
        granted: 1,
        remaining: 2,
      });
      await store.reservations.giveBack('one');
      await store.reservations.lease({ counter, ...ask, atLeast: 8 });
      assert.deepEqual(await store.reservations.lease(later), { granted: 2.5, remaining: 10 });
      const [held] = await store.database.db
        .selectFrom('allowances')
        .selectAll()
        .where('counter', '=', counter)
        .execute();
      assert.deepEqual([held?.amount, held?.expires_at_ms], [2.5, later.expiresAtMs]);
    });
  });
}
