import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { followChangeFeed, STALE_MS } from '../../../../../sidecar/gateway/cluster/changeFeed.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';

describe('following the changes of other replicas', () => {
  let clock: StandingClock;
  let isAway: boolean;
  let polls: number;
  let forgotten: number;
  let recovered: number;
  let lines: readonly string[];
  let look: () => Promise<void>;
  let told: (about: string | undefined) => void;
  let taken: number;

  beforeEach(async () => {
    clock = new StandingClock('2026-03-04T10:00:00.000Z');
    isAway = false;
    polls = 0;
    taken = 0;
    forgotten = 0;
    recovered = 0;
    let repeated: () => void = () => undefined;
    const kept = keepingLog();
    ({ lines } = kept);
    await followChangeFeed({
      store: {
        changes: {
          poll: async () => {
            polls += 1;
            if (isAway) throw new Error('no database');
          },
        },
        database: {
          follow: async (heard) => {
            told = heard;
            return { close: async () => undefined };
          },
        },
      },
      replicas: { id: 'here', take: async () => void (taken += 1) },
      forget: () => (forgotten += 1),
      recovered: () => (recovered += 1),
      clock,
      log: kept.log,
      timers: {
        ...stillTimers,
        every(_periodMs, work) {
          repeated = work;
          return () => undefined;
        },
      },
    });
    look = async () => {
      repeated();
      await new Promise(setImmediate);
    };
  });

  it('looks in its time, and whenever the database says that there is something', async () => {
    await look();
    told('');
    assert.equal(polls, 2);
  });

  it('takes messages to this replica on notification and at intervals, without looking for other changes', async () => {
    told('here');
    told('there');
    told('');
    assert.deepEqual([polls, taken], [1, 1]);
    told(undefined);
    await look();
    assert.deepEqual([polls, taken], [3, 3]);
  });

  it('says once that the database is away, and once that it is back', async () => {
    isAway = true;
    for (let n = 0; n < 3; n += 1) await look();
    assert.equal(lines.filter((it) => it.includes('cannot be read')).length, 1);
    isAway = false;
    for (let n = 0; n < 3; n += 1) await look();
    assert.equal(lines.filter((it) => it.includes('can be read again')).length, 1);
  });

  it('tells the others once that the database is back, and not while it is away or well', async () => {
    await look();
    isAway = true;
    for (let n = 0; n < 3; n += 1) await look();
    assert.equal(recovered, 0);
    isAway = false;
    for (let n = 0; n < 3; n += 1) await look();
    assert.equal(recovered, 1);
  });

  it('trusts what it remembers for a while without the database, and then no longer', async () => {
    isAway = true;
    clock.pass(STALE_MS);
    await look();
    assert.equal(forgotten, 0);
    clock.pass(1);
    await look();
    await look();
    assert.equal(forgotten, 2);
    isAway = false;
    await look();
    clock.pass(STALE_MS);
    isAway = true;
    await look();
    assert.equal(forgotten, 2);
  });
});
