import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { LimitLevel } from '../../../../../../sidecar/gateway/activity/limits/levels.ts';
import { type SoftBudgetCrossed, SoftBudgets } from '../../../../../../sidecar/gateway/activity/limits/softBudgets.ts';
import { keepingLog } from '../../../../../support/testLog.ts';

const nowMs = Date.parse('2026-03-04T10:20:00.000Z');
const DAY = 24 * 60 * 60_000;
const level = (limits: LimitLevel['limits'], id = 'k1'): LimitLevel => ({
  type: 'key',
  id,
  alias: `key ${id}`,
  createdAtMs: 0,
  limits,
});

describe('soft budgets that are crossed', () => {
  let spent: number;
  let asked: number;
  let claimed: Set<string>;
  let reported: SoftBudgetCrossed[];
  let failures: unknown[];
  const open = () =>
    new SoftBudgets({
      used: async () => {
        asked += 1;
        const [failure] = failures.splice(0, 1);
        if (failure) throw failure as Error;
        return spent;
      },
      claim: async (id) => !claimed.has(id) && claimed.add(id) !== undefined,
      report: async (it) => void reported.push(it),
      log: keepingLog().log,
    });
  beforeEach(() => {
    [spent, asked, claimed, reported, failures] = [1, 0, new Set(), [], []];
  });

  it('are reported once per window as soon as the amount is reached, with owner, amount and spend', async () => {
    const soft = open();
    for (let n = 0; n < 3; n += 1) {
      soft.spent([level({ soft_budget: 1, budget_duration: '1d' })], nowMs);
      await soft.look(nowMs);
    }
    assert.deepEqual(reported, [
      { type: 'key', id: 'k1', alias: 'key k1', soft_budget: 1, spend: 1, budget_duration: '1d' },
    ]);
    assert.equal(asked, 1, 'what was reported is not looked at again');
  });

  it('are looked at again after the next call where less was spent', async () => {
    const soft = open();
    const limits = [level({ soft_budget: 2 })];
    soft.spent(limits, nowMs);
    await soft.look(nowMs);
    assert.deepEqual([reported.length, asked], [0, 1]);
    await soft.look(nowMs);
    assert.equal(asked, 1, 'nobody spent anything since');
    spent = 2;
    assert.equal(soft.spent(limits, nowMs), true);
    await soft.look(nowMs);
    assert.equal(reported.length, 1);
    assert.equal(soft.spent(limits, nowMs), false, 'what was reported needs no look');
  });

  it('are reported anew in the next window', async () => {
    const soft = open();
    for (const at of [nowMs, nowMs + DAY]) {
      soft.spent([level({ soft_budget: 1, budget_duration: '1d' })], at);
      await soft.look(at);
    }
    assert.equal(reported.length, 2);
  });

  it('are reported anew when the amount was changed, by this replica and by others', async () => {
    const [one, other] = [open(), open()];
    spent = 5;
    for (const soft of [one, other])
      for (const soft_budget of [1, 3]) {
        soft.spent([level({ soft_budget })], nowMs);
        await soft.look(nowMs);
      }
    assert.deepEqual(
      reported.map((it) => it.soft_budget),
      [1, 3],
    );
  });

  it('are each looked at, whoever else has one and whichever fails', async () => {
    const soft = open();
    failures = [new Error('The store is away.')];
    soft.spent([level({ soft_budget: 1 }, 'a'), level({}, 'b'), level({ soft_budget: 1 }, 'c')], nowMs);
    await soft.look(nowMs);
    assert.deepEqual(
      reported.map((it) => it.id),
      ['c'],
    );
    soft.spent([level({ soft_budget: 1 }, 'a')], nowMs);
    await soft.look(nowMs);
    assert.deepEqual(
      reported.map((it) => it.id),
      ['c', 'a'],
    );
  });

  it('are nothing to look at for callers that have none', () => {
    assert.equal(open().spent([level({ max_budget: 1 }), level({ soft_budget: null })], nowMs), false);
  });
});
