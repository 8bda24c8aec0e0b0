import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { type Conversant, type OwnerStore, Owners } from '../../../../../sidecar/gateway/a2a/owners.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { a2aContextOf, answerOf, keptOwners } from '../../../../support/a2a/frontUnderTest.ts';
import { json, message, openOneAgent, rpc, send } from '../../../../support/a2a/oneAgent.ts';
import { SetClock } from '../../../../support/backends/setClock.ts';
import { verifies } from '../../../../support/verifies.ts';

const given =
  '{"jsonrpc":"2.0","id":7,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"working"}}}';
const away = () => Promise.reject(new Fault('unavailable', 'The database of the gateway does not respond.'));

/** Counts what is asked of the store. */
function counting() {
  const kept = keptOwners();
  const asked: string[] = [];
  const owners: OwnerStore = {
    of: (...args) => {
      asked.push('of');
      return kept.of(...args);
    },
    claim: (...args) => {
      asked.push('claim');
      return kept.claim(...args);
    },
  };
  return { owners, asked };
}

describe('an answer that names a new task', () => {
  it('does not leave while it cannot be written whose the task is', async () => {
    verifies('gateway.a2a.owners-written');
    const { post, records } = openOneAgent(
      { headers: json, body: given },
      { more: { owners: { of: away, claim: away } } },
    );
    const { status, body } = await post(send);
    assert.deepEqual([status, (body['error'] as { code: number }).code], [200, -32603]);
    assert.doesNotMatch(JSON.stringify(body), /t1|c1/);
    assert.equal(records[0]?.status, 'failure');
  });

  it('breaks a stream before its event where that cannot be written', async () => {
    verifies('gateway.a2a.owners-written');
    const said = { headers: { 'content-type': 'text/event-stream' }, body: `data: ${given}\n\n` };
    const { front } = openOneAgent(said, { more: { owners: { of: away, claim: away } } });
    const body = rpc('message/stream', { message });
    const request = new Request('https://gateway.test/a2a/weather', { method: 'POST', body, headers: json });
    const text = await (await answerOf(front, request)).text();
    assert.doesNotMatch(text, /t1|c1/);
    assert.match(text, /^data: .*-32603.*\n\n$/);
  });

  it('waits in a stream until that is written', async () => {
    verifies('gateway.a2a.owners-written');
    const kept = keptOwners();
    let write: (() => void) | undefined;
    const claiming = new Promise<void>((resolve) => {
      write = resolve;
    });
    const claim: OwnerStore['claim'] = (...args) => claiming.then(() => kept.claim(...args));
    const said = { headers: { 'content-type': 'text/event-stream' }, body: `data: ${given}\n\n` };
    const { front } = openOneAgent(said, { more: { owners: { of: kept.of, claim } } });
    const body = rpc('message/stream', { message });
    const request = new Request('https://gateway.test/a2a/weather', { method: 'POST', body, headers: json });
    const reading = (await answerOf(front, request)).text();
    assert.equal(await Promise.race([reading, turn()]), undefined);
    write?.();
    assert.equal(await reading, `data: ${given}\n\n`);
  });
});

describe('a conversation that goes on', () => {
  it('asks the store once for each new id, and again after a while', async () => {
    const { owners, asked } = counting();
    const { post, clock } = openOneAgent({ headers: json, body: given }, { more: { owners } });
    await post(send);
    assert.deepEqual(asked.splice(0), ['claim']);
    const next = rpc('message/send', { message: { ...message, taskId: 't1', contextId: 'c1' } });
    for (const it of [next, next, rpc('tasks/get', { id: 't1' })]) assert.equal((await post(it)).status, 200);
    assert.deepEqual(asked, []);
    clock.pass(60 * 60_000);
    await post(next);
    assert.equal(asked[0], 'of');
  });
});

describe('what a replica remembers of owners', () => {
  const conversant: Conversant = { context: a2aContextOf(new Request('https://gateway.test')), agentId: 'agent-1' };
  const tasks = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ kind: 'task' as const, id: `t${from + n}` }));

  it('is read again after an hour, whatever the time of day is by then', async () => {
    const { owners: kept, asked } = counting();
    let [monotonicMs, nowMs] = [5_000, Date.parse('2026-06-01T12:00:00Z')];
    const clock = { now: () => new Date(nowMs).toISOString(), nowMs: () => nowMs, monotonicMs: () => monotonicMs };
    const owners = new Owners(kept, clock);
    const reads = async () => {
      asked.length = 0;
      await owners.own(conversant, [{ id: 't1' }]);
      return asked.length;
    };
    await owners.give(conversant, tasks(1, 1));
    nowMs += 24 * 60 * 60_000;
    assert.equal(await reads(), 0);
    nowMs -= 48 * 60 * 60_000;
    monotonicMs += 60 * 60_000;
    assert.equal(await reads(), 1);
  });

  it('is the latest 50,000 ids, by when their owner was written or read last', async () => {
    const { owners: kept, asked } = counting();
    const clock = new SetClock();
    const owners = new Owners(kept, clock);
    const reads = async (n: number) => {
      asked.length = 0;
      assert.equal((await owners.own(conversant, [{ id: `t${n}` }])).length, 1);
      return asked.length;
    };
    await owners.give(conversant, tasks(0, 50_000));
    assert.deepEqual([await reads(0), await reads(49_999)], [0, 0]);
    clock.pass(60 * 60_000);
    assert.equal(await reads(0), 1);
    await owners.give(conversant, tasks(50_000, 1));
    assert.deepEqual([await reads(0), await reads(50_000)], [0, 0]);
    // The second was the oldest, and made room.
    clock.pass(-60 * 60_000);
    assert.deepEqual([await reads(2), await reads(1)], [0, 1]);
  });
});
