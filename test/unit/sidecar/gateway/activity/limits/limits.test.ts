import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Activity, openActivity } from '../../../../../../sidecar/gateway/activity/activity.ts';
import type { LimitLevel } from '../../../../../../sidecar/gateway/activity/limits/levels.ts';
import { type Limits, openLimits } from '../../../../../../sidecar/gateway/activity/limits/limits.ts';
import type { GatewayStore } from '../../../../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../../../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../../../../support/gateway/stores.ts';
import { ManualTimers } from '../../../../../support/manualTimers.ts';
import { keepingLog } from '../../../../../support/testLog.ts';
import { until } from '../../../../../support/until.ts';

const level = (limits: LimitLevel['limits'], id = 'k1'): LimitLevel => ({
  type: 'key',
  id: id.padEnd(64, '0'),
  alias: id,
  createdAtMs: 0,
  limits,
});

describe('the permit of a call', () => {
  let place: StorePlace;
  let store: GatewayStore;
  let activity: Activity;
  let limits: Limits;
  let timers: ManualTimers;
  let crossed: string[];
  const clock = new StandingClock('2026-03-04T10:20:30.000Z');
  beforeEach(async () => {
    place = await sqlitePlace();
    store = await place.open(clock);
    timers = new ManualTimers();
    crossed = [];
    const { log } = keepingLog();
    activity = openActivity({ store, clock, timers, newId: randomUUID, log });
    limits = openLimits({
      store,
      activity,
      clock,
      timers,
      log,
      crossed: async ({ alias }) => void crossed.push(alias),
    });
  });
  afterEach(async () => {
    await limits.close();
    await activity.close();
    timers.close();
    await store.close();
    place.remove();
  });
  const remaining = async (levels: readonly LimitLevel[]) => {
    const permit = await limits.admit(levels, { cost: 0 });
    const left = permit.rates().map((it) => it.remaining);
    permit.release();
    return left;
  };

  it('that is released counts for nothing, however often and whatever follows', async () => {
    const key = level({ rpm_limit: 3, max_budget: 1 });
    const held = await limits.admit([key], { cost: 0.25 });
    const released = await limits.admit([key], { cost: 0.5 });
    for (let n = 0; n < 3; n += 1) released.release();
    released.settle(0.5);
    assert.deepEqual(await remaining([key]), [1]);
    held.settle(0.25);
    held.release();
    held.settle(0.25);
    assert.deepEqual(await remaining([key]), [1]);
    assert.equal(await limits.spent(key), 0.25);
  });
  it('settles what is no amount of money as nothing', async () => {
    const key = level({ max_budget: 1 });
    for (const spend of [Number.NaN, Number.POSITIVE_INFINITY, -5]) {
      const permit = await limits.admit([key], { cost: 0 });
      permit.settle(spend);
    }
    assert.equal(await limits.spent(key), 0);
  });
  it('tells of soft budgets that are crossed one after the other', async () => {
    for (const name of ['one', 'two']) {
      const key = level({ soft_budget: 1, max_budget: 5 }, name);
      (await limits.admit([key], { cost: 0 })).settle(1);
      await until(`${name} is told`, () => crossed.includes(name));
    }
    assert.deepEqual(crossed, ['one', 'two']);
  });
});
