import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ASK_MS, CHECK_MS, Replicas } from '../../../../../sidecar/gateway/cluster/replicas.ts';
import type { ReplicaMessage } from '../../../../../sidecar/gateway/storage/replicaMessages.ts';
import { later } from '../../../../support/later.ts';
import { HeldTimers } from '../../../../support/mcp/heldTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';

/** Replicas on one table that is an array, of whom each takes its messages as soon as they are written. */
function team() {
  const rows: (ReplicaMessage & { to: string })[] = [];
  const serving = new Set<string>();
  const killed = new Set<string>();
  const all = new Map<string, Replicas>();
  const timers = new HeldTimers();
  const { log, lines } = keepingLog();
  let ids = 0;
  let isAway = false;
  const open = (id: string): Replicas => {
    const messages = {
      id,
      serve: async () => {
        if (isAway) throw new Error('no database');
        if (!killed.has(id)) serving.add(id);
      },
      serves: async (replica: string) => serving.has(replica),
      leave: async () => void serving.delete(id),
      others: async () => [...serving].filter((it) => it !== id),
      async send(to: string, message: ReplicaMessage) {
        if (!serving.has(to)) return false;
        rows.push({ ...message, to });
        void all.get(to)?.take();
        return true;
      },
      async take() {
        const own = rows.filter((it) => it.to === id);
        for (const it of own) rows.splice(rows.indexOf(it), 1);
        return own;
      },
    };
    const replicas = new Replicas({ messages, timers, newId: () => `ask-${(ids += 1)}`, log });
    all.set(id, replicas);
    return replicas;
  };
  return {
    open,
    timers,
    lines,
    rows,
    kill: (id: string) => killed.add(id) && serving.delete(id),
    setAway: (it: boolean) => void (isAway = it),
  };
}

describe('replicas that ask each other', () => {
  it('get the answer to each question, and of all others at once', async () => {
    const { open, rows } = team();
    const [one, two, three] = ['one', 'two', 'three'].map(open) as [Replicas, Replicas, Replicas];
    for (const it of [one, two, three]) await it.start();
    two.listen(async (body) => ({ two: body }));
    three.listen(async (body) => ({ three: body }));
    assert.deepEqual(await one.ask('two', 1), { two: 1 });
    assert.deepEqual(await Promise.all([one.ask('two', 2), one.ask('three', 3)]), [{ two: 2 }, { three: 3 }]);
    assert.deepEqual(await one.askOthers(4), [{ two: 4 }, { three: 4 }]);
    assert.deepEqual(rows, []);
  });

  it('notice at once that a replica no longer serves', async () => {
    const { open } = team();
    const [one, two] = ['one', 'two'].map(open) as [Replicas, Replicas];
    await one.start();
    await two.start();
    await two.close();
    assert.equal(await one.ask('two', 1), undefined);
    assert.deepEqual(await one.askOthers(1), []);
  });

  it('do not wait for one that was killed after it was asked', async () => {
    const { open, timers, kill } = team();
    const [one, two] = ['one', 'two'].map(open) as [Replicas, Replicas];
    await one.start();
    await two.start();
    two.listen(() => Promise.withResolvers<unknown>().promise);
    const asked = one.ask('two', 1);
    await new Promise(setImmediate);
    timers.pass(CHECK_MS);
    await new Promise(setImmediate);
    kill('two');
    timers.pass(CHECK_MS);
    assert.equal(await asked, undefined);
    assert.equal(timers.count(ASK_MS), 0);
  });

  it('wait for one that does not answer until the time limit, and then say so', async () => {
    const { open, timers, lines } = team();
    const [one, two, three] = ['one', 'two', 'three'].map(open) as [Replicas, Replicas, Replicas];
    for (const it of [one, two, three]) await it.start();
    two.listen(() => Promise.reject(new Error('a bug')));
    const asked = one.ask('two', 1);
    await new Promise(setImmediate);
    timers.pass(ASK_MS);
    await assert.rejects(asked, { code: 'unavailable', data: { retry_after_s: 1 } });
    assert.ok(lines.some((it) => it.includes('could not be answered')));
    three.listen(async () => 'well');
    const all = one.askOthers(1);
    await new Promise(setImmediate);
    timers.pass(ASK_MS);
    assert.deepEqual(await all, ['well']);
  });

  it('announce periodically that they serve, and report failures', async () => {
    const { open, timers, lines, setAway } = team();
    const one = open('one');
    await one.start();
    setAway(true);
    timers.pass(1_000);
    await new Promise(setImmediate);
    assert.equal(lines.filter((it) => it.includes('cannot be told')).length, 1);
    await one.close();
    assert.equal(timers.count(1_000), 0);
  });

  it('close even if reading their messages fails', async () => {
    const { log } = keepingLog();
    const taken = later<readonly ReplicaMessage[]>();
    let hasLeft = false;
    const messages = {
      id: 'one',
      serve: async () => undefined,
      serves: async () => true,
      leave: async () => void (hasLeft = true),
      others: async () => [],
      send: async () => true,
      take: () => taken.promise,
    };
    const one = new Replicas({ messages, timers: new HeldTimers(), newId: () => 'ask', log });
    const taking = one.take();
    const closing = one.close();
    taken.reject(new Error('no database'));
    await assert.rejects(taking, /no database/);
    await closing;
    assert.equal(hasLeft, true);
  });
});
