import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'mocha';
import { Slots } from '../../../../../../sidecar/gateway/backends/net/slots.ts';
import { outcomeOf } from '../../../../../support/outcomeOf.ts';

describe('the slots of a backend', () => {
  const signal = new AbortController().signal;

  it('are taken by so many at a time, the others in their order, and each is given back once', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const release = await slots.take(signal);
    const others = ['a', 'b'].map(async (name) => {
      const own = await slots.take(signal);
      order.push(name);
      return own;
    });
    assert.deepEqual([order, slots.taken], [[], 1]);
    release();
    release();
    const first = await others[0];
    assert.deepEqual([order, slots.taken], [['a'], 1]);
    first?.();
    (await others[1])?.();
    assert.deepEqual([order, slots.taken], [['a', 'b'], 0]);
  });
  it('are waited for by so many; one more is told to come again', async () => {
    const slots = new Slots(1, 2);
    const release = await slots.take(signal);
    const waiting = [slots.take(signal), slots.take(signal)];
    assert.match(await outcomeOf(slots.take(signal)), /^unavailable Too many requests are waiting/);
    release();
    for (const it of waiting) (await it)();
    assert.equal(slots.taken, 0);
  });
  it('are not kept for a caller who left the line, nor taken by one who had left before', async () => {
    const slots = new Slots(1);
    const release = await slots.take(signal);
    const left = new AbortController();
    const gone = slots.take(left.signal);
    const next = slots.take(signal);
    left.abort(new Error('the caller left'));
    await assert.rejects(gone, /the caller left/);
    await assert.rejects(slots.take(left.signal), /the caller left/);
    release();
    (await next)();
    assert.equal(slots.taken, 0);
  });
  it('are waited for with one listener a caller, which goes with the wait', async () => {
    const slots = new Slots(1);
    const caller = new AbortController();
    const release = await slots.take(signal);
    const next = slots.take(caller.signal);
    assert.equal(getEventListeners(caller.signal, 'abort').length, 1);
    release();
    await next;
    assert.equal(getEventListeners(caller.signal, 'abort').length, 0);
  });
});
