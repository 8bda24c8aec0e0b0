import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { type Activity, openActivity } from '../../../../sidecar/gateway/activity/activity.ts';
import { type Limits, openLimits } from '../../../../sidecar/gateway/activity/limits/limits.ts';
import {
  LEASE_MS,
  LEASE_SHARE,
  REFUSAL_MS,
  RENEW_MS,
} from '../../../../sidecar/gateway/activity/limits/sharedCounting.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { ManualTimers, stillTimers } from '../../../support/manualTimers.ts';
import { keepingLog } from '../../../support/testLog.ts';
import { until } from '../../../support/until.ts';
import { crowd, level } from './crowd.ts';

/** What replicas on one database owe those who set limits. */
export function limitReplicaContract(open: () => Promise<StorePlace>): void {
  describe('limits of three replicas on one PostgreSQL', () => {
    const clock = new StandingClock('2026-03-04T10:20:00.000Z');
    let place: StorePlace;
    const stores: GatewayStore[] = [];
    const activities: Activity[] = [];
    const all: Limits[] = [];
    const timers = new ManualTimers();
    before(async function start() {
      place = await open();
      const { log } = keepingLog();
      for (const holder of ['one', 'two', 'three']) {
        const store = await place.open(clock, holder);
        const activity = openActivity({ store, clock, timers: stillTimers, newId: randomUUID, log });
        stores.push(store);
        activities.push(activity);
        all.push(openLimits({ store, activity, clock, timers, log }));
      }
    });
    after(async () => {
      for (const it of [...all, ...activities, ...stores]) await it.close();
      place.remove();
    });
    /** Every replica renews what it has set aside. */
    const renew = async () => {
      timers.pass(RENEW_MS);
      await until('every replica waits for its next renewal', () => timers.count(RENEW_MS) === all.length);
    };
    const flush = () => Promise.all(activities.map((it) => it.flush()));

    it('spend one budget together with 300 calls at once: never more, and all of it', async () => {
      const key = level({ max_budget: 1 });
      let admitted = 0;
      // A replica that has nothing left in hand may be refused what others still have: they come again.
      for (let round = 0; round < 20 && admitted < 100; round += 1) {
        const found = await crowd(all, [key], 0.01, 300);
        admitted += found.admitted.length;
        for (const it of found.admitted) it.settle(0.01);
        await flush();
        clock.pass(REFUSAL_MS);
      }
      assert.equal(admitted, 100);
      assert.equal((await crowd(all, [key], 0.01, 30)).admitted.length, 0);
      const spent = await Promise.all(all.map((it) => it.spent(key)));
      assert.deepEqual(
        spent.map((it) => Math.round(it * 100)),
        [100, 100, 100],
      );
    });

    it('let no more through in a minute than one of them might', async () => {
      const key = level({ rpm_limit: 40 });
      let admitted = 0;
      for (let round = 0; round < 5; round += 1) {
        admitted += (await crowd(all, [key], 0, 90)).admitted.length;
        clock.pass(REFUSAL_MS);
      }
      assert.equal(admitted, 40);
    });

    it('run no more side by side than one of them might', async () => {
      const key = level({ max_parallel_requests: 10 });
      const { admitted } = await crowd(all, [key], 0, 90);
      assert.ok(admitted.length <= 10 && admitted.length >= 7, `${admitted.length}`);
    });

    it('lose of a budget what a killed replica had set aside, until that is free again', async () => {
      const key = level({ max_budget: 100 });
      const [killed, left] = all;
      assert.ok(killed && left);
      const permit = await killed.admit([key], { cost: 1 });
      // It ends here: what it spent is never written, and it gives nothing back.
      permit.settle(1);
      const setAside = 100 * LEASE_SHARE;
      const before_ = await crowd([left], [key], 1, 200);
      assert.equal(before_.admitted.length, 100 - setAside);
      for (const it of before_.admitted) it.settle(1);
      await activities[1]?.flush();
      clock.pass(LEASE_MS + 1);
      const later = await crowd([left], [key], 1, 200);
      assert.equal(later.admitted.length, setAside, 'over by what the killed one had not written, and no more');
    });

    it('give back the unused part of a budget after one renewal without a call', async () => {
      const key = level({ max_budget: 100 });
      const [idle, other] = all;
      assert.ok(idle && other);
      (await idle.admit([key], { cost: 1 })).settle(1);
      await flush();
      const left = async () => {
        const { admitted } = await crowd([other], [key], 1, 200);
        for (const it of admitted) it.release();
        return admitted.length;
      };
      const held = 100 * LEASE_SHARE - 1;
      assert.equal(await left(), 99 - held);
      for (let renewals = 0; renewals < 2; renewals += 1) {
        clock.pass(RENEW_MS);
        await left(); // the other one calls all the time
        await renew();
      }
      clock.pass(REFUSAL_MS);
      assert.equal(await left(), 99);
    });

    it('settle a call of an expired lease without touching the lease that followed it', async () => {
      const key = level({ max_budget: 100 });
      const [slow, other] = all;
      assert.ok(slow && other);
      const before_ = await slow.admit([key], { cost: 5 });
      clock.pass(LEASE_MS + 1); // nobody renewed it
      const after_ = await slow.admit([key], { cost: 5 });
      before_.settle(5);
      await flush();
      const setAside = 100 * LEASE_SHARE;
      const { admitted } = await crowd([other], [key], 1, 200);
      assert.equal(admitted.length, 100 - 5 - setAside, 'what the first call cost is no part of the second lease');
      after_.settle(5);
    });
  });
}
