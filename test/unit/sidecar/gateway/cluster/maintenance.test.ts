import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { type MaintenanceDeps, startMaintenance } from '../../../../../sidecar/gateway/cluster/maintenance.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';
import { verifies } from '../../../../support/verifies.ts';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

describe('what goes on beside the calls', () => {
  let clock: StandingClock;
  /** What was asked of the rest of the gateway, in order. */
  let done: string[];
  let lines: readonly string[];
  let work: Map<number, () => void>;
  let isAway: boolean;
  let isTaken: boolean;
  let changed: (kind: string, id: string) => void;
  const soon = async () => {
    for (let n = 0; n < 5; n += 1) await new Promise((resolve) => void setImmediate(resolve));
  };

  beforeEach(() => {
    clock = new StandingClock('2026-06-01T12:00:00.000Z');
    [done, work, isAway, isTaken] = [[], new Map(), false, true];
  });

  async function start(more: Partial<MaintenanceDeps> = {}, kind = 'sqlite') {
    const note =
      <T>(what: string, answer: T) =>
      async (...args: readonly unknown[]): Promise<T> => {
        done.push([what, ...args.filter((it) => typeof it !== 'object')].join(' '));
        return answer;
      };
    const kept = keepingLog();
    ({ lines } = kept);
    const store = {
      database: { kind, follow: async () => ({ close: note('follower closed', undefined) }) },
      changes: {
        tidy: note('tidy changes', undefined),
        poll: async () => {
          if (isAway) throw new Error('no database');
        },
      },
      leases: {
        take: async () => {
          done.push('asked who leads');
          return isTaken;
        },
        release: note('lead given back', undefined),
      },
      activityWrites: { tidy: note('tidy activity', undefined) },
      serverHealth: { tidy: note('tidy health', undefined) },
      replicaMessages: { tidy: note('tidy messages', undefined) },
      pageSessions: { tidy: note('tidy page sessions', undefined) },
      alertDeliveries: { tidy: note('tidy alerts', undefined) },
      a2aOwners: { forget: note('forget owners', undefined) },
      logRetention: { forget: note('forget lines', 3) },
      callContents: { forget: note('forget contents', 4) },
      audit: { forget: note('forget audit', 2) },
    };
    const directory = {
      registered: async () => ({ servers: ['server'], agents: ['agent'] }),
      forget: () => done.push('forget records'),
      listen: (notify: typeof changed) => {
        changed = notify;
      },
    };
    const backends = { setRegistered: () => done.push('registered'), forget: note('forget backend', undefined) };
    const mcp = {
      serverChanged: note('server changed', undefined),
      listsChanged: () => done.push('lists changed'),
      sweep: note('sweep', undefined),
    };
    const every = (periodMs: number, again: () => void) => {
      work.set(periodMs, again);
      return () => void work.delete(periodMs);
    };
    const atOnce = (_delayMs: number, again: () => void) => {
      again();
      return () => undefined;
    };
    const timers = { ...stillTimers, after: atOnce, every };
    const flush = note('flush', undefined);
    const alert = () => Promise.resolve();
    const deps = { store, directory, backends, mcp, clock, log: kept.log, timers, flush, alert, ...more };
    const stop = await startMaintenance(deps as unknown as MaintenanceDeps);
    await soon();
    return stop;
  }
  const happening = async (what: () => unknown): Promise<readonly string[]> => {
    done.length = 0;
    what();
    await soon();
    return [...done].sort();
  };

  it('begins with what is registered', async () => {
    await start({ keepLogDays: 0 });
    assert.equal(done[0], 'registered');
  });

  const changes: Readonly<Record<string, readonly string[]>> = {
    mcp_server: ['forget backend id', 'registered', 'server changed id'],
    agent: ['forget backend id', 'lists changed', 'registered'],
    key: ['lists changed'],
    team: ['lists changed'],
    toolset: ['lists changed'],
    budget: [],
  };
  for (const [kind, expected] of Object.entries(changes)) {
    it(`lets go of what a change of a record of the kind ${kind} makes old, and of nothing else`, async () => {
      await start();
      assert.deepEqual(await happening(() => changed(kind, 'id')), expected);
    });
  }

  it('writes the records that wait when the database is back, and sweeps idle sessions every minute', async () => {
    await start();
    isAway = true;
    assert.deepEqual(await happening(() => work.get(SECOND)?.()), []);
    isAway = false;
    assert.deepEqual(await happening(() => work.get(SECOND)?.()), ['flush']);
    assert.deepEqual(await happening(() => work.get(60 * SECOND)?.()), ['sweep']);
  });

  it('tidies every hour what nobody can ask for any more, and forgets lines and owners older than is kept', async () => {
    await start({ keepLogDays: 7 });
    const before = clock.nowMs() - 7 * DAY;
    const all = ['forget contents', 'forget lines', 'forget owners'].map((it) => `${it} ${before}`);
    const tidied = [
      `tidy activity ${clock.nowMs()}`,
      `tidy alerts ${clock.nowMs()}`,
      `tidy page sessions ${clock.nowMs()}`,
      'tidy changes',
      'tidy health',
      'tidy messages',
    ];
    assert.deepEqual(done.filter((it) => it !== 'registered').sort(), [...all, ...tidied].sort());
    assert.ok(lines.some((it) => it.includes('"forgotten":3')));
    clock.pass(3_600 * SECOND - 1);
    assert.deepEqual(await happening(() => work.get(5 * SECOND)?.()), []);
    clock.pass(1);
    assert.equal((await happening(() => work.get(5 * SECOND)?.())).length, all.length + tidied.length);
  });

  it('keeps lines and owners for ever where that is asked for', async () => {
    await start({ keepLogDays: 0 });
    assert.deepEqual(
      done.filter((it) => /^forget (?:lines|owners)/.test(it)),
      [],
    );
    assert.ok(done.includes('tidy changes'));
  });

  for (const keepContentDays of [30, undefined])
    it(`deletes requests and responses after ${keepContentDays ?? 7} days${keepContentDays === undefined ? ', where none are stored any more' : ''}`, async () => {
      verifies('gateway.content.deleted');
      await start({ keepContentDays });
      assert.ok(done.includes(`forget contents ${clock.nowMs() - (keepContentDays ?? 7) * DAY}`), done.join());
    });

  it('forgets entries of the audit only where that is asked for', async () => {
    verifies('gateway.retention.audit');
    await start({ keepAuditDays: 30 });
    const before = new Date(clock.nowMs() - 30 * DAY).toISOString();
    assert.ok(done.includes(`forget audit ${before}`), done.join());
    assert.ok(lines.some((it) => it.includes('"keepAuditDays":30')));
    await start();
    assert.equal(done.filter((it) => it.startsWith('forget audit')).length, 1);
  });

  it('asks servers how they are every minute, and not in the first three seconds', async () => {
    let asked = 0;
    await start({ checkHealth: async () => void (asked += 1) });
    assert.equal(asked, 0);
    clock.pass(3 * SECOND);
    await happening(() => work.get(5 * SECOND)?.());
    assert.equal(asked, 1);
    clock.pass(60 * SECOND - 1);
    await happening(() => work.get(5 * SECOND)?.());
    assert.equal(asked, 1);
    clock.pass(1);
    await happening(() => work.get(5 * SECOND)?.());
    assert.equal(asked, 2);
  });

  it('is done by the replica that leads, where there may be several, and by the only one without a question', async () => {
    isTaken = false;
    await start({}, 'postgres');
    assert.deepEqual(done, ['registered', 'asked who leads']);
    done.length = 0;
    await start();
    assert.ok(!done.includes('asked who leads') && done.includes('tidy changes'));
  });

  it('ends with all that it began, and gives the lead back', async () => {
    const stop = await start({}, 'postgres');
    assert.equal(work.size, 3);
    done.length = 0;
    await stop();
    assert.deepEqual(done, ['follower closed', 'lead given back leader']);
    assert.equal(work.size, 0);
  });
});
