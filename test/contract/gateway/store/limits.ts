import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'mocha';
import { type Activity, openActivity } from '../../../../sidecar/gateway/activity/activity.ts';
import type { LimitLevel } from '../../../../sidecar/gateway/activity/limits/levels.ts';
import { type Limits, openLimits } from '../../../../sidecar/gateway/activity/limits/limits.ts';
import { pairId } from '../../../../sidecar/gateway/storage/activity/budgetReservations.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { SpendLogsQuery } from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { stillTimers } from '../../../support/manualTimers.ts';
import { keepingLog } from '../../../support/testLog.ts';
import { crowd, level } from './crowd.ts';

/** What budgets and rate limits owe everybody, on either database. */
export function limitsContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`budgets and rate limits on ${name}`, () => {
    const clock = new StandingClock('2026-03-04T10:20:30.000Z');
    let place: StorePlace;
    let store: GatewayStore;
    const opened: { activity: Activity; limits: Limits }[] = [];
    before(async function start() {
      place = await open();
      store = await place.open(clock);
    });
    afterEach(async () => {
      for (const it of opened.splice(0)) {
        await it.limits.close();
        await it.activity.close();
      }
    });
    after(async () => {
      await store.close();
      place.remove();
    });
    function start(): { activity: Activity; limits: Limits } {
      const { log } = keepingLog();
      const activity = openActivity({ store, clock, timers: stillTimers, newId: randomUUID, log });
      const it = { activity, limits: openLimits({ store, activity, clock, timers: stillTimers, log }) };
      opened.push(it);
      return it;
    }
    const refused = async (
      limits: Limits,
      levels: readonly LimitLevel[],
      cost = 0,
      servers: readonly string[] = [],
    ) => {
      try {
        await limits.admit(levels, { cost, servers });
      } catch (thrown) {
        if (thrown instanceof Fault) return thrown;
        throw thrown;
      }
      return assert.fail('was admitted');
    };

    it('spends a budget to the cent with 100 calls at once, and not more', async () => {
      const { limits } = start();
      const key = level({ max_budget: 0.37 });
      const { admitted, refusals } = await crowd([limits], [key], 0.01);
      assert.deepEqual([admitted.length, refusals.length], [37, 63]);
      for (const it of admitted) it.settle(0.01);
      assert.equal((await refused(limits, [key], 0.01)).code, 'budget_exceeded');
      await opened[0]?.activity.flush();
      assert.equal(Math.round((await limits.spent(key)) * 100), 37);
    });

    it('gives back what a call did not cost, and what a call that never began had reserved', async () => {
      const { limits } = start();
      const key = level({ max_budget: 1 });
      (await limits.admit([key], { cost: 1 })).settle(0.25);
      (await limits.admit([key], { cost: 0.75 })).release();
      const last = await limits.admit([key], { cost: 0.75 });
      await refused(limits, [key], 0.01);
      last.settle(0);
      last.settle(5);
      last.release();
      assert.equal((await crowd([limits], [key], 0.25, 5)).admitted.length, 3);
    });

    it('lets through what nobody knows the price of until the budget is used up', async () => {
      const { limits } = start();
      const key = level({ max_budget: 1 });
      (await limits.admit([key], { cost: 0 })).settle(1.5);
      clock.pass(1_000);
      const fault = await refused(limits, [key]);
      assert.equal(fault.code, 'budget_exceeded');
    });

    it('remembers what was spent after a restart', async () => {
      const { limits, activity } = start();
      const key = level({ max_budget: 1 });
      (await limits.admit([key], { cost: 0.6 })).settle(0.6);
      await limits.close();
      await activity.close();
      const again = start();
      await refused(again.limits, [key], 0.5);
      await again.limits.admit([key], { cost: 0.4 });
    });

    it('counts from the records what was spent before there was a budget, and what is not written yet', async () => {
      const { limits, activity } = start();
      const none = level({});
      for (let n = 0; n < 2; n += 1) {
        const permit = await limits.admit([none], { cost: 0 });
        const first = { endpoint: '/mcp', call_type: 'c', model: 'm' };
        activity.begin(`early-${name}-${n}`, { api_key: none.id }, first).finish({ status: 'success', spend: 2 });
        permit.settle(2);
        if (n === 0) await activity.flush();
      }
      await activity.flush();
      const budgets = {
        max_budget: 4.5,
        budget_limits: [
          { budget_duration: '30d', max_budget: 4.5 },
          { budget_duration: '45m', max_budget: 4.5 },
        ],
      };
      const limited = { ...none, limits: budgets };
      await refused(limits, [limited], 1);
      await limits.admit([limited], { cost: 0.5 });
    });

    it('knows what somebody spent who has no budget, and counts it when they get one again', async () => {
      const { limits, activity } = start();
      const key = level({ max_budget: 3 });
      const none = { ...key, limits: {} };
      const spend = async (as: LimitLevel) => {
        (await limits.admit([as], { cost: 1 })).settle(1);
        await activity.flush();
      };
      await spend(key);
      await spend(none);
      assert.equal(await limits.spent(none), 2);
      await spend(none);
      assert.deepEqual([await limits.spent(none), await limits.spent(key)], [3, 3]);
      await refused(limits, [key], 1);
    });

    it('counts from the records what one member spent in a team, and what all callers spent together', async () => {
      const { limits, activity } = start();
      const [ada, bob] = ['ada/1', 'bob'];
      for (const [user_id, spend] of [
        [ada, 2],
        [ada, 0.5],
        [bob, 3],
      ] as const) {
        const who = { api_key: 'k', team_id: 'a/b', user_id };
        activity
          .begin(`member-${name}-${user_id}-${spend}`, who, { endpoint: '/mcp', call_type: 'c', model: 'm' })
          .finish({ status: 'success', spend });
      }
      await activity.flush();
      const member = (budget_duration?: string) =>
        level({ max_budget: 3, budget_duration }, { type: 'team_member', id: pairId('a/b', ada) });
      assert.deepEqual([await limits.spent(member()), await limits.spent(member('45m'))], [2.5, 2.5]);
      const { data } = await store.spendLogs.page(SpendLogsQuery.parse({ page_size: 1_000 }));
      const whole = level({ max_budget: 100 }, { type: 'global', id: 'global' });
      assert.ok(Math.abs((await limits.spent(whole)) - data.reduce((sum, it) => sum + it.spend, 0)) < 1e-9);
      await limits.admit([member()], { cost: 0.5 });
      await refused(limits, [member()], 0.5);
    });

    it('counts only the spending of personal keys against a user when it reads the records, not that of team keys', async () => {
      const { limits, activity } = start();
      const user_id = `own-${name}`;
      for (const [team_id, spend] of [
        [undefined, 2],
        ['a team', 100],
      ] as const) {
        const who = { api_key: 'k', user_id, ...(team_id && { team_id }) };
        activity
          .begin(`${user_id}-${spend}`, who, { endpoint: '/mcp', call_type: 'c', model: 'm' })
          .finish({ status: 'success', spend });
      }
      await activity.flush();
      const windows = [undefined, '45m', '3d'].map((budget_duration) =>
        level({ max_budget: 3, budget_duration }, { type: 'user', id: user_id }),
      );
      assert.deepEqual(await Promise.all(windows.map((it) => limits.spent(it))), [2, 2, 2]);
    });

    it('counts of a window that begins within a day that day from then on, and the days after it whole', async () => {
      clock.setTo('2026-03-01T12:00:00.000Z');
      const budget_limits = [{ budget_duration: '3d', max_budget: 111.5 }];
      const limited = level({ budget_limits }, { createdAtMs: clock.nowMs() });
      const { limits, activity } = start();
      const first = { endpoint: '/mcp', call_type: 'c', model: 'm' };
      for (const [at, spend] of [
        ['2026-03-01T11:59:59.999Z', 1_000],
        ['2026-03-01T12:00:00.000Z', 100],
        ['2026-03-02T00:00:00.000Z', 10],
        ['2026-03-03T23:00:00.000Z', 1],
      ] as const) {
        clock.setTo(at);
        activity.begin(`days-${name}-${spend}`, { api_key: limited.id }, first).finish({ status: 'success', spend });
      }
      await activity.flush();
      await refused(limits, [limited], 1);
      await limits.admit([limited], { cost: 0.5 });
    });

    it('begins each window anew, and keeps several at the same time', async () => {
      clock.setTo('2026-03-04T10:59:00.000Z');
      const { limits, activity } = start();
      const key = level({
        budget_limits: [
          { budget_duration: '1h', max_budget: 1 },
          { budget_duration: '1d', max_budget: 2 },
        ],
      });
      const spend = async (cost: number) => {
        (await limits.admit([key], { cost })).settle(cost);
        await activity.flush();
      };
      await spend(1);
      const hour = await refused(limits, [key], 0.5);
      assert.match(
        hour.message,
        /1h window, Spend=\$1, Limit=\$1\. Current cost: 1, Max budget: 1\. Resets at: 2026-03-04 11:00:00 UTC$/,
      );
      assert.deepEqual(hour.data, {
        type: 'key',
        alias: key.alias,
        resets_at: '2026-03-04T11:00:00.000Z',
        retry_after_s: 60,
        current_cost: 1,
        max_budget: 1,
      });
      clock.setTo('2026-03-04T11:00:00.000Z');
      await spend(1);
      clock.setTo('2026-03-04T12:00:00.000Z');
      assert.match((await refused(limits, [key], 0.5)).message, /1d window/);
      clock.setTo('2026-03-05T00:00:00.000Z');
      await spend(1);
    });

    it('counts a call in the window in which it began', async () => {
      clock.setTo('2026-03-06T10:59:59.000Z');
      const { limits } = start();
      const key = level({ max_budget: 1, budget_duration: '1h' });
      const long = await limits.admit([key], { cost: 1 });
      clock.setTo('2026-03-06T11:00:01.000Z');
      long.settle(1);
      await limits.admit([key], { cost: 1 });
    });

    it('names the level in the order of the specification, by its alias', async () => {
      const { limits } = start();
      const spent = { max_budget: 0, rpm_limit: 0 };
      const types = ['global', 'organization', 'key', 'end_user', 'user', 'team_member', 'team'] as const;
      const levels = types.map((type) => level(spent, { type, alias: `my ${type}` }));
      const named: string[] = [];
      while (levels.length > 0) {
        const fault = await refused(limits, levels, 1);
        const { type } = fault.data as { type: string };
        assert.equal(fault.code, 'budget_exceeded');
        assert.ok(
          fault.message.includes(`my ${type}`) && !/[0-9a-f]{64}/.test(fault.message + JSON.stringify(fault.data)),
        );
        named.push(type);
        levels.splice(
          levels.findIndex((it) => it.type === type),
          1,
        );
      }
      assert.deepEqual(named, ['team', 'team_member', 'user', 'end_user', 'key', 'organization', 'global']);
    });

    it('reserves nothing of a call that another level refuses', async () => {
      const { limits } = start();
      const team = level({ max_budget: 1, rpm_limit: 2 }, { type: 'team' });
      const poor = level({ max_budget: 0.1 });
      for (let n = 0; n < 3; n += 1) await refused(limits, [team, poor], 0.5);
      assert.equal((await crowd([limits], [team], 0.5, 4)).admitted.length, 2);
    });

    it('gives back what a call had reserved when the store does not answer for another level', async () => {
      const { log } = keepingLog();
      const activity = openActivity({ store, clock, timers: stillTimers, newId: randomUUID, log });
      const team = level({ max_budget: 1 }, { type: 'team' });
      const key = level({ max_budget: 1 });
      let isAway = true;
      const reservations = new Proxy(store.reservations, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return async (...given: unknown[]): Promise<unknown> => {
            if (isAway && JSON.stringify(given).includes(key.id)) throw new Fault('unavailable', 'The store is away.');
            return (await Reflect.apply(member, target, given)) as unknown;
          };
        },
      });
      const limits = openLimits({ store: { ...store, reservations }, activity, clock, timers: stillTimers, log });
      opened.push({ activity, limits });
      for (let n = 0; n < 3; n += 1)
        await assert.rejects(async () => limits.admit([team, key], { cost: 1 }), { code: 'unavailable' });
      isAway = false;
      clock.pass(1_000);
      await limits.admit([team, key], { cost: 1 });
      await refused(limits, [team], 1);
    });

    it('lets as many through as a minute may have with 100 at once, and again in the next', async () => {
      clock.setTo('2026-03-04T10:20:30.000Z');
      const { limits } = start();
      const key = level({ rpm_limit: 30 });
      for (let minute = 0; minute < 2; minute += 1) {
        const { admitted, refusals } = await crowd([limits], [key], 0);
        assert.deepEqual([admitted.length, refusals.length], [30, 70]);
        for (const it of admitted) it.settle(0);
        const fault = await refused(limits, [key]);
        assert.match(
          fault.message,
          /^Rate limit exceeded\. Key 'key \d+'\. Limit type: requests\. Current limit: 30, Remaining: 0\. Limit resets at: 2026-03-04 10:2\d:00 UTC$/,
        );
        const { retry_after_s, limit, limit_type, remaining } = fault.data as Record<string, unknown>;
        assert.deepEqual(
          [fault.code, retry_after_s, limit, limit_type, remaining],
          ['rate_limited', 30, 30, 'requests', 0],
        );
        clock.pass(60_000);
      }
    });

    it('lets as many run side by side as may, and others once some have ended', async () => {
      const { limits } = start();
      const key = level({ max_parallel_requests: 7 });
      const { admitted } = await crowd([limits], [key], 0);
      assert.equal(admitted.length, 7);
      assert.match((await refused(limits, [key])).message, /Limit type: max_parallel_requests\. Current limit: 7/);
      for (const it of admitted.slice(0, 3)) it.settle(0);
      clock.pass(1_000);
      assert.equal((await crowd([limits], [key], 0)).admitted.length, 3);
    });

    it('refuses once the tokens of a minute are used', async () => {
      const { limits } = start();
      const key = level({ tpm_limit: 100 });
      for (const tokens of [60, 60]) (await limits.admit([key], { cost: 0 })).settle(0, tokens);
      assert.match((await refused(limits, [key])).message, /Limit type: tokens\. Current limit: 100, Remaining: 0/);
      clock.pass(60_000);
      await limits.admit([key], { cost: 0 });
    });

    it('keeps requests to one server to its own number, whichever of its names the limit uses', async () => {
      const { limits } = start();
      const key = level({}, { mcpRpmLimit: { math: 2 } });
      for (const names of [['id-1', 'math'], ['math']]) await limits.admit([key], { cost: 0, servers: names });
      await refused(limits, [key], 0, ['id-1', 'math']);
      await limits.admit([key], { cost: 0, servers: ['id-2', 'web'] });
      await limits.admit([key], { cost: 0 });
    });

    it('follows a limit that is raised or lowered', async () => {
      const { limits } = start();
      const key = level({ max_budget: 1 });
      (await limits.admit([key], { cost: 1 })).settle(1);
      const with_ = (max_budget: number) => ({ ...key, limits: { max_budget } });
      await opened[0]?.activity.flush();
      assert.equal((await crowd([limits], [with_(3)], 0.5, 10)).admitted.length, 4);
      await refused(limits, [with_(2)], 0.5);
    });

    it('begins at 0 again when somebody resets what was spent', async () => {
      const { limits } = start();
      const key = level({ max_budget: 1 });
      (await limits.admit([key], { cost: 1 })).settle(1);
      await refused(limits, [key], 1);
      await limits.reset(key);
      assert.equal(await limits.spent(key), 0);
      clock.pass(1_000);
      await limits.admit([key], { cost: 1 });
    });

    it('asks the store nothing, and does not wait, for a caller without limits', () => {
      const { limits } = start();
      const permit = limits.admit([level({}), level({ max_budget: null }, { type: 'team' })], { cost: 5 });
      assert.ok(!(permit instanceof Promise));
      permit.settle(0);
    });
  });
}
