import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { quotasOf } from '../../../../../../sidecar/gateway/activity/limits/quotas.ts';
import { SoleCounting } from '../../../../../../sidecar/gateway/activity/limits/soleCounting.ts';
import { StandingClock } from '../../../../../support/gateway/clock.ts';

/** More than are kept of what can be read again. */
const MANY = 20_100;

describe('counting for one process', () => {
  const clock = new StandingClock('2026-03-04T10:00:00.000Z');
  const quotaOf = (id: string, limits: object) => {
    const [quota] = quotasOf([{ type: 'key', id, alias: id, createdAtMs: 0, limits }], clock.nowMs(), []);
    return quota!;
  };
  /** What the store says that was spent; a budget that is forgotten is asked for again. */
  const open = (spent: () => number) =>
    new SoleCounting(
      { spent: async () => spent() },
      { exclusively: (work) => work(), queue: { waitingFor: () => 0 } as never },
      clock,
    );
  const crowd = (counting: SoleCounting) => {
    for (let n = 0; n < MANY; n += 1) void counting.take(quotaOf(`minute ${n}`, { rpm_limit: 1 }), 1);
  };

  it('keeps what is reserved, however many others call meanwhile', async () => {
    const counting = open(() => 0);
    const budget = quotaOf('busy', { max_budget: 1 });
    const taken = await counting.take(budget, 1);
    assert.equal(taken.isTaken, true);
    clock.pass(60_000); // the minute of the others is over, so that they may be forgotten
    crowd(counting);
    clock.pass(60_000);
    crowd(counting);
    assert.deepEqual(await counting.take(budget, 1), { isTaken: false, used: 1 });
  });

  it('forgets budgets that nobody uses, and reads what was spent of them when they are asked for again', async () => {
    let spent = 0.25;
    const counting = open(() => spent);
    const budget = quotaOf('idle', { max_budget: 1 });
    const taken = await counting.take(budget, 0.5);
    if (taken.isTaken) taken.settle(0.5);
    spent = 0.75;
    crowd(counting);
    assert.equal(counting.known(budget), undefined);
    assert.equal(await counting.used(budget), 0.75);
  });
});
