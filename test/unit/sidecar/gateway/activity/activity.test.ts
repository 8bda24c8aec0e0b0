import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openActivity } from '../../../../../sidecar/gateway/activity/activity.ts';
import { FLUSH_RECORDS, MAX_QUEUED_RECORDS } from '../../../../../sidecar/gateway/activity/flushQueue.ts';
import {
  EARLY_RECORDS,
  FLUSH_INTERVAL_MS,
  MAX_RETRY_MS,
  QUIET_MS,
} from '../../../../../sidecar/gateway/activity/recordWrites.ts';
import type { ActivityBatch } from '../../../../../sidecar/gateway/storage/activity/activityWrites.ts';
import { storeUnavailable } from '../../../../../sidecar/gateway/storage/storeFault.ts';
import { requestsOf } from '../../../../support/gateway/activityLines.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';

/** A store that keeps batches, or is down; and timers that a test lets pass. */
function open() {
  const clock = new StandingClock('2026-03-04T10:00:00.000Z');
  const batches: ActivityBatch[] = [];
  const state: { isDown: boolean; held?: Promise<void> } = { isDown: false };
  const timers: { work: () => void; delayMs: number }[] = [];
  const counted: string[] = [];
  let scheduled = 0;
  const { log, lines } = keepingLog();
  const activityWrites = {
    write: async (batch: ActivityBatch) => {
      await state.held;
      if (state.isDown) throw storeUnavailable(new Error('down'));
      batches.push(batch);
    },
    tidy: async () => undefined,
  };
  const entered: number[] = [];
  const logLines = {
    async enterAll(goesOn = () => true) {
      if (state.isDown) throw storeUnavailable(new Error('down'));
      do {
        entered.push(batches.length);
        await Promise.resolve();
      } while (entered.length % 3 > 0 && goesOn());
    },
  };
  const activity = openActivity({
    store: { activityWrites, logLines } as unknown as Parameters<typeof openActivity>[0]['store'],
    clock,
    log,
    metrics: {
      ended: ({ request_id }) => void counted.push(request_id),
      refused: (endpoint) => void counted.push(`refused ${endpoint}`),
    },
    newId: () => 'writer',
    timers: {
      ...stillTimers,
      after(delayMs, work) {
        const timer = { work, delayMs };
        timers.push(timer);
        scheduled += 1;
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
        };
      },
    },
  });
  let count = 0;
  const call = (times = 1) => {
    for (let n = 0; n < times; n += 1) {
      count += 1;
      activity
        .begin(`r${count}`, { api_key: 'k', end_user: `e${count}` }, { endpoint: '/mcp', call_type: 'c', model: 'm' })
        .finish({ status: 'success', spend: 1 });
    }
  };
  const pending = () => timers.map((it) => it.delayMs);
  /** The time of the only timer is over. */
  const due = () => timers.splice(0)[0]!.work();
  return { activity, batches, call, clock, counted, due, entered, lines, pending, scheduled: () => scheduled, state };
}

describe('the writing of records', () => {
  it('waits half a second, with one timer for all', () => {
    const { call, pending, scheduled } = open();
    call(3);
    assert.deepEqual([pending(), scheduled()], [[FLUSH_INTERVAL_MS], 1], 'which no later call puts off');
  });

  it('does not wait for half a second once 10,000 lines wait', () => {
    const { call, pending } = open();
    call(EARLY_RECORDS - 1);
    assert.deepEqual(pending(), [FLUSH_INTERVAL_MS]);
    call();
    assert.deepEqual(pending(), [0]);
  });

  it('goes in batches of at most 2,000 lines, numbered from 1, in order', async () => {
    const { activity, batches, call } = open();
    call(4_100);
    await activity.close();
    assert.deepEqual(
      batches.map((it) => [it.seq, it.lines.length, requestsOf(it)[0]]),
      [
        [1, 2_000, 'r1'],
        [2, 2_000, 'r2001'],
        [3, 100, 'r4001'],
      ],
    );
  });

  it('sends the same batch again when the store was down, each time later, and says so once', async () => {
    const { activity, batches, call, lines, pending, state } = open();
    state.isDown = true;
    call();
    const waits: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      await assert.rejects(activity.flush(), { code: 'unavailable' });
      waits.push(...pending());
    }
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, MAX_RETRY_MS, MAX_RETRY_MS, MAX_RETRY_MS]);
    call();
    state.isDown = false;
    await activity.flush();
    assert.deepEqual(
      batches.map((it) => [it.seq, requestsOf(it)]),
      [
        [1, ['r1']],
        [2, ['r2']],
      ],
    );
    assert.equal(lines.filter((it) => it.includes('cannot be written')).length, 1);
    assert.equal(lines.filter((it) => it.includes('can be written again')).length, 1);
  });

  it('keeps the sums of the oldest lines where there are too many, and counts them', async () => {
    const { activity, batches, call, lines, state } = open();
    state.isDown = true;
    const more = 1_000;
    call(MAX_QUEUED_RECORDS + more);
    const { dropped } = activity.queue;
    assert.ok(dropped >= more && dropped <= MAX_QUEUED_RECORDS / 10);
    assert.equal(activity.queue.length, MAX_QUEUED_RECORDS + more - dropped);
    await assert.rejects(activity.flush());
    assert.equal(lines.filter((it) => it.includes('were dropped')).length, 1);
    state.isDown = false;
    await activity.flush();
    const kept = batches.reduce((sum, it) => sum + it.lines.length, 0);
    const summed = batches.flatMap((it) => it.sums.calls).reduce((sum, it) => sum + it.spend, 0);
    assert.deepEqual([kept, summed], [MAX_QUEUED_RECORDS + more - dropped, MAX_QUEUED_RECORDS + more]);
  });

  it('does not grow with what callers call their end users, however long the store is down', () => {
    const { activity, call, state } = open();
    state.isDown = true;
    call(MAX_QUEUED_RECORDS * 3);
    const rows = activity.queue.next(0)?.sums.calls.length ?? 0;
    assert.ok(rows <= MAX_QUEUED_RECORDS + 1, `${rows}`);
  });

  it('happens when the timer is due, with its time, and waits for nothing when all is written', async () => {
    const { activity, batches, call, clock, counted, due, pending } = open();
    call();
    activity.refused('/mcp');
    clock.pass(700);
    due();
    await activity.exclusively(async () => undefined);
    assert.deepEqual(
      batches.map((it) => [it.writer, it.atMs, it.lines.length, it.sums.edge]),
      [
        [
          activity.writer,
          clock.nowMs(),
          1,
          [{ date: '2026-03-04', endpoint: '/mcp', successful_requests: 1, failed_requests: 1 }],
        ],
      ],
    );
    assert.deepEqual([pending(), counted], [[QUIET_MS], ['r1', 'refused /mcp']]);
    await activity.flush();
    assert.equal(batches.length, 1);
  });

  it('lets lines enter the log when no call has ended for a while, and no later call has to wait for it', async () => {
    const { activity, call, due, entered, pending } = open();
    const written = () => activity.exclusively(async () => undefined);
    call();
    due();
    await written();
    assert.deepEqual([pending(), entered], [[QUIET_MS], []]);
    call();
    assert.deepEqual(pending(), [FLUSH_INTERVAL_MS], 'a call came');
    due();
    await written();
    due();
    await written();
    assert.deepEqual([pending(), entered], [[], [2, 2, 2]]);
  });

  it('lets no more lines enter the log once a call has ended', async () => {
    const { activity, call, due, entered, pending } = open();
    call();
    await activity.flush();
    due();
    call();
    await activity.exclusively(async () => undefined);
    assert.deepEqual([pending(), entered], [[FLUSH_INTERVAL_MS], [1]]);
  });

  it('lets lines enter the log before it ends', async () => {
    const { activity, call, entered, pending } = open();
    call();
    await activity.close();
    assert.deepEqual([pending(), entered], [[], [1, 1, 1]]);
  });

  it('says in the log that lines cannot enter it, and lets them enter after the next batch', async () => {
    const { activity, call, due, entered, lines, state } = open();
    call();
    await activity.flush();
    state.isDown = true;
    due();
    await activity.exclusively(async () => undefined);
    await Promise.resolve();
    assert.equal(lines.filter((it) => it.includes('cannot be entered in the log yet')).length, 1);
    state.isDown = false;
    call();
    await activity.flush();
    due();
    await activity.exclusively(async () => undefined);
    assert.deepEqual(entered, [2, 2, 2]);
  });

  it('of a refused caller waits half a second, on the day on which it was refused', async () => {
    const { activity, batches, clock, pending } = open();
    clock.setTo('2026-03-04T23:59:59.900Z');
    activity.refused('/mcp');
    assert.deepEqual(pending(), [FLUSH_INTERVAL_MS]);
    clock.setTo('2026-03-05T00:00:01.000Z');
    await activity.flush();
    assert.equal(batches[0]?.sums.edge[0]?.date, '2026-03-04');
  });

  it('sends nothing twice where two write at once, and takes along what comes while it runs', async () => {
    const { activity, batches, call, pending, state } = open();
    let release = () => {};
    state.held = new Promise((resolve) => void (release = resolve));
    call();
    const both = [activity.flush(), activity.flush()];
    call();
    assert.deepEqual(pending(), [FLUSH_INTERVAL_MS]);
    release();
    await Promise.all(both);
    assert.deepEqual(
      batches.map((it) => [it.seq, requestsOf(it)]),
      [
        [1, ['r1']],
        [2, ['r2']],
      ],
    );
  });

  it('keeps out of what must run alone, also of what failed, one after the other', async () => {
    const { activity, batches, call } = open();
    call();
    const order: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => void (release = resolve));
    const alone = (name: string, fails = false) =>
      activity.exclusively(async () => {
        order.push(`${name} begins with ${batches.length}`);
        await held;
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const [first, second] = [alone('first', true), alone('second')];
    const refused = assert.rejects(first, /first/);
    const written = activity.flush();
    release();
    await refused;
    assert.equal(await second, 'second');
    await written;
    assert.deepEqual(order, ['first begins with 0', 'first ends', 'second begins with 0', 'second ends']);
    assert.equal(batches.length, 1);
  });

  it('does not hurry a store that is down, and is as quick as before once it answers', async () => {
    const { activity, call, pending, scheduled, state } = open();
    state.isDown = true;
    call();
    await assert.rejects(activity.flush());
    const before = scheduled();
    call(EARLY_RECORDS);
    assert.deepEqual([pending(), scheduled()], [[1_000], before]);
    await assert.rejects(activity.flush());
    assert.deepEqual(pending(), [2_000], 'also with more than are written early');
    state.isDown = false;
    await activity.flush();
    call();
    assert.deepEqual(pending(), [FLUSH_INTERVAL_MS]);
    call(EARLY_RECORDS - 1);
    assert.deepEqual(pending(), [0], 'as many as are written early, with one timer');
  });

  it('says how many lines were dropped each time that there are more, and after it what is lost since', async () => {
    const { activity, call, lines, state } = open();
    state.isDown = true;
    const said = (words: string) => lines.filter((it) => it.includes(words));
    call(MAX_QUEUED_RECORDS + 1);
    for (let n = 0; n < 2; n += 1) await assert.rejects(activity.flush());
    assert.deepEqual([said('were dropped').length, activity.queue.dropped], [1, FLUSH_RECORDS]);
    call(MAX_QUEUED_RECORDS / 5);
    await assert.rejects(activity.flush());
    const { dropped } = activity.queue;
    assert.match(said('were dropped')[1]!, new RegExp(`"dropped":${dropped}`));
    call(MAX_QUEUED_RECORDS / 5);
    const since = activity.queue.dropped - dropped;
    state.isDown = false;
    for (let n = 0; n < 2; n += 1) await activity.flush();
    assert.ok(since > 0);
    assert.match(said('can be written again')[0]!, new RegExp(`"failures":3,"lost":${since}`));
    state.isDown = true;
    call();
    await assert.rejects(activity.flush());
    assert.deepEqual([said('can be written again').length, said('were dropped').length], [1, 2]);
  });

  it('ends with its last try: nothing waits afterwards, also where the store is down', async () => {
    const { activity, call, pending, state } = open();
    call();
    await activity.close();
    assert.deepEqual(pending(), []);
    state.isDown = true;
    call();
    await assert.rejects(activity.close(), { code: 'unavailable' });
    assert.deepEqual(pending(), []);
  });

  it('stores the record of a call even if a listener throws', async () => {
    const { activity, call, batches } = open();
    activity.listen(() => {
      throw new Error('of the listener');
    });
    assert.throws(call, /of the listener/);
    await activity.flush();
    assert.deepEqual(batches.flatMap(requestsOf), ['r1']);
  });
});
