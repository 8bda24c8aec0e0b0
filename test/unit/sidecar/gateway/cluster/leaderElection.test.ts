import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  electLeader,
  LEAD_MS,
  type LeaderElection,
  type ScheduledJob,
} from '../../../../../sidecar/gateway/cluster/leaderElection.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';
import { until } from '../../../../support/until.ts';

const minute = 60_000;

/** The first look comes at once. */
const atOnce = (_delayMs: number, work: () => void) => {
  work();
  return () => undefined;
};

describe('work that is done once for all replicas', () => {
  let place: StorePlace;
  let clock: StandingClock;
  let stores: GatewayStore[];
  let open: LeaderElection[];
  let done: string[];
  let released: string[];
  let logged: readonly string[];

  /** A replica; its timer runs when the test says so. */
  async function replica(name: string, duty: Partial<ScheduledJob> = {}) {
    const store = await place.open(clock, name);
    stores.push(store);
    const { log, lines } = keepingLog();
    logged = lines;
    let look: () => void = () => undefined;
    const work: ScheduledJob = { name: 'work', everyMs: minute, run: async () => void done.push(name), ...duty };
    let asked = 0;
    const leases = {
      take: (lease: string, forMs: number) => store.leases.take(lease, forMs).finally(() => (asked += 1)),
      release: (lease: string) => {
        released.push(name);
        return store.leases.release(lease);
      },
    };
    const every = (_periodMs: number, again: () => void) => {
      look = again;
      return () => undefined;
    };
    const leading = electLeader({ leases, jobs: [work], clock, log, timers: { after: atOnce, every } });
    open.push(leading);
    const looked = async () => {
      const before = asked;
      look();
      await until(`${name} has asked`, () => asked > before);
      await store.ping();
    };
    await until(`${name} has asked`, () => asked === 1);
    await store.ping();
    return { leading, looked, store };
  }
  beforeEach(async () => {
    place = await sqlitePlace();
    clock = new StandingClock('2026-03-04T10:00:00.000Z');
    stores = [];
    open = [];
    done = [];
    released = [];
  });
  afterEach(async () => {
    await Promise.all(open.map((it) => it.close()));
    await Promise.all(stores.map((it) => it.close()));
    place.remove();
  });

  it('is handed over only when what runs of it has ended', async () => {
    const events: string[] = [];
    let end = (): void => undefined;
    const work: ScheduledJob = {
      name: 'work',
      everyMs: minute,
      run: () =>
        new Promise<void>((resolve) => {
          events.push('began');
          end = () => {
            events.push('ended');
            resolve();
          };
        }),
    };
    const leases = {
      take: async () => true,
      release: async () => void events.push('released'),
    };
    const { log } = keepingLog();
    const leading = electLeader({ leases, jobs: [work], clock, log, timers: { ...stillTimers, after: atOnce } });
    await until('it began', () => events.length > 0);
    const closing = leading.close();
    for (let n = 0; n < 5; n += 1) await new Promise((resolve) => void setImmediate(resolve));
    end();
    await closing;
    assert.deepEqual(events, ['began', 'ended', 'released']);
  });

  it('is done by one of them, at its start and then in its time', async () => {
    const one = await replica('one');
    const two = await replica('two');
    assert.deepEqual([one.leading.isLeader, two.leading.isLeader], [true, false]);
    assert.deepEqual(done, ['one']);
    for (const passed of [5_000, minute - 5_000]) {
      clock.pass(passed);
      await one.looked();
      await two.looked();
    }
    assert.deepEqual(done, ['one', 'one']);
  });

  it('is begun by no process that has just started, and never by one that leaves before', async () => {
    let first: { readonly delayMs: number; readonly work: () => void } | undefined;
    const after = (delayMs: number, work: () => void) => {
      first = { delayMs, work };
      return () => void (first = undefined);
    };
    const work: ScheduledJob = { name: 'work', everyMs: minute, run: async () => void done.push('one') };
    const leases = { take: async () => true, release: async () => undefined };
    const [{ log }, timers] = [keepingLog(), { ...stillTimers, after }];
    const start = () => electLeader({ leases, jobs: [work], clock, log, timers });
    const staying = start();
    assert.equal(first?.delayMs, 1_000);
    first.work();
    await until('it did its work', () => done.length > 0);
    await staying.close();
    await start().close();
    assert.equal(first, undefined);
  });

  it('waits after a start where it says so', async () => {
    const one = await replica('one', { firstAfterMs: 3_000 });
    assert.deepEqual([one.leading.isLeader, done], [true, []]);
    clock.pass(3_000);
    await one.looked();
    assert.deepEqual(done, ['one']);
  });

  it('hears when its process leaves, which waits for it', async () => {
    const run = async (signal: AbortSignal) => {
      await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve()));
      done.push('ended');
    };
    const one = await replica('one', { run });
    await one.leading.close();
    assert.deepEqual(done, ['ended']);
  });

  it('moves to another when the leader is heard of no more', async () => {
    await replica('one');
    const two = await replica('two');
    clock.pass(LEAD_MS);
    await two.looked();
    assert.equal(two.leading.isLeader, false);
    clock.pass(1);
    await two.looked();
    assert.equal(two.leading.isLeader, true);
    assert.deepEqual(done, ['one', 'two']);
  });

  it('is handed over at once by a leader that leaves, after what runs has ended', async () => {
    let finish: () => void = () => undefined;
    const run = () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      });
    const one = await replica('one', { run });
    const two = await replica('two');
    const closing = one.leading.close();
    await two.looked();
    assert.deepEqual([two.leading.isLeader, released], [false, []]);
    finish();
    await closing;
    await two.looked();
    assert.deepEqual([two.leading.isLeader, released], [true, ['one']]);
  });

  it('is tried again in its time when it failed, and the log says what failed', async () => {
    let tries = 0;
    const run = async () => {
      tries += 1;
      throw new Error('no luck');
    };
    const one = await replica('one', { run });
    await until('it failed', () => logged.some((it) => it.includes('no luck')));
    await one.looked();
    assert.equal(tries, 1);
    clock.pass(minute);
    await one.looked();
    assert.equal(tries, 2);
  });

  it('rests while the database does not answer', async () => {
    const one = await replica('one');
    await one.store.close();
    clock.pass(minute);
    await one.looked();
    assert.equal(one.leading.isLeader, false);
    assert.deepEqual(done, ['one']);
  });
});
