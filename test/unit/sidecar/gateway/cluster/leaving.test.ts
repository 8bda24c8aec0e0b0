import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { electLeader } from '../../../../../sidecar/gateway/cluster/leaderElection.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { later } from '../../../../support/later.ts';
import { keepingLog } from '../../../../support/testLog.ts';

describe('a replica in the middle of its work for all', () => {
  let clock: StandingClock;
  let answers: ReturnType<typeof later<boolean>>[];
  let released: number;
  let works: ReturnType<typeof later<void>>[];
  let look: () => void;
  const soon = () => new Promise((resolve) => void setImmediate(resolve));
  beforeEach(() => {
    clock = new StandingClock('2026-03-04T10:00:00.000Z');
    [answers, released, works] = [[], 0, []];
  });

  function open() {
    const leases = {
      take() {
        const answer = later<boolean>();
        answers.push(answer);
        return answer.promise;
      },
      async release() {
        released += 1;
      },
    };
    const run = () => {
      const work = later<void>();
      works.push(work);
      return work.promise;
    };
    const atOnce = (_delayMs: number, work: () => void) => {
      work();
      return () => undefined;
    };
    const every = (_periodMs: number, again: () => void) => {
      look = again;
      return () => undefined;
    };
    const jobs = [{ name: 'work', everyMs: 1_000, run }];
    return electLeader({ leases, jobs, clock, log: keepingLog().log, timers: { after: atOnce, every } });
  }
  async function answer(isOurs: boolean) {
    answers.shift()?.resolve(isOurs);
    await soon();
  }

  it('that leaves while it asks for the lead begins nothing, and gives back what it got', async () => {
    const leading = open();
    const closed = leading.close();
    await soon();
    await answer(true);
    await closed;
    assert.deepEqual([works.length, released, leading.isLeader], [0, 1, false]);
  });

  it('that leaves without the lead takes it from nobody', async () => {
    const leading = open();
    await answer(false);
    await leading.close();
    assert.deepEqual([works.length, released], [0, 0]);
  });

  it('does not begin it again before it ended, and gives the lead back after it ended', async () => {
    const leading = open();
    await answer(true);
    clock.pass(5_000);
    look();
    await answer(true);
    assert.equal(works.length, 1);
    works[0]?.resolve();
    await soon();
    look();
    await answer(true);
    assert.equal(works.length, 2);
    const closed = leading.close();
    await soon();
    assert.equal(released, 0);
    works[1]?.resolve();
    await closed;
    assert.equal(released, 1);
  });

  it('asks once at a time who leads', async () => {
    const leading = open();
    look();
    look();
    assert.equal(answers.length, 1);
    await answer(false);
    look();
    assert.equal(answers.length, 1);
    await answer(false);
    await leading.close();
  });
});
