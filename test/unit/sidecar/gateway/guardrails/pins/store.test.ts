import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Pins } from '../../../../../../sidecar/gateway/guardrails/pins/pins.ts';
import type { Drift, ToolPin } from '../../../../../../sidecar/gateway/guardrails/pins/toolPin.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { guardedCall, guardrail } from '../../../../../support/guardrails/calls.ts';
import { guardrailsUnderTest } from '../../../../../support/guardrails/guardrailsUnderTest.ts';
import { MemoryPins } from '../../../../../support/guardrails/memoryStores.ts';
import { type Later, later } from '../../../../../support/later.ts';
import { keepingLog } from '../../../../../support/testLog.ts';

const tool = (name: string, description = `does ${name}`) => ({ name, description });
const rules = { pin_on_first_use: true, new_tools: 'hold' } as const;

/** Counts writes, fails and waits as a database does. */
class SlowPins extends MemoryPins {
  writes = 0;
  failure: Error | undefined;
  /** A write is there, and its answer is not. */
  lost: Error | undefined;
  /** Reads answer what they found when they began, when the test lets them. */
  waiting: Later<void> | undefined;

  override async get(serverId: string) {
    const { waiting } = this;
    const found = await super.get(serverId);
    await waiting?.promise;
    return found;
  }
  override async put(serverId: string, changes: ReadonlyMap<string, ToolPin | null>) {
    this.writes += 1;
    if (this.failure) throw this.failure;
    await super.put(serverId, changes);
    if (this.lost) throw this.lost;
  }
}

/** Two replicas that share a store and hear nothing of each other. */
function open() {
  const [store, clock, drifts] = [new SlowPins(), new SetClock(), [] as Drift[]];
  const audit: { failure: Error | undefined } = { failure: undefined };
  const { log, lines } = keepingLog();
  const replica = () =>
    new Pins({
      store,
      clock,
      log,
      async onDrift(drift) {
        drifts.push(drift);
        if (audit.failure) throw audit.failure;
      },
    });
  return { store, clock, drifts, audit, lines, pins: replica(), other: replica() };
}
const away = new Error('away');

describe('pins and their store', () => {
  it('are written when something is new, and not for a list that is as it was', async () => {
    const { pins, store, lines } = open();
    await pins.listed('s1', [tool('a'), tool('b')], rules);
    await pins.listed('s1', [tool('a'), tool('b')], rules);
    await pins.listed('s1', [tool('b')], rules);
    assert.deepEqual([store.writes, lines.length], [1, 0]);
  });

  it('hold a change that could not be reported, and report it with the next list', async () => {
    const { pins, store, drifts, audit } = open();
    await pins.listed('s1', [tool('a')], rules);
    audit.failure = away;
    await assert.rejects(pins.listed('s1', [tool('a', 'other')], rules), /away/);
    assert.equal(store.writes, 1);
    audit.failure = undefined;
    assert.deepEqual(await pins.listed('s1', [tool('a', 'other')], rules), []);
    assert.deepEqual([drifts.length, store.writes], [2, 2]);
  });

  it('show nothing, approve nothing and forget nothing that could not be stored', async () => {
    const { pins, store } = open();
    store.failure = away;
    await assert.rejects(pins.listed('s1', [tool('a')], rules), /away/);
    store.failure = undefined;
    await pins.listed('s1', [tool('a')], rules);
    await pins.listed('s1', [tool('a', 'other')], rules);
    store.failure = away;
    await assert.rejects(pins.approve('s1'), /away/);
    await assert.rejects(pins.unpin('s1'), /away/);
    store.failure = undefined;
    assert.equal(await pins.isApproved('s1', 'a'), false);
    assert.deepEqual(await pins.approve('s1'), ['a']);
    assert.equal(await pins.isApproved('s1', 'a'), true);
  });

  it('are what is stored also where the answer to the write was lost', async () => {
    const { pins, store } = open();
    await pins.listed('s1', [tool('a')], rules);
    await pins.listed('s1', [tool('a', 'other')], rules);
    store.lost = away;
    await assert.rejects(pins.approve('s1'), /away/);
    assert.equal(await pins.isApproved('s1', 'a'), true);
    await assert.rejects(pins.listed('s1', [tool('a', 'third')], rules), /away/);
    assert.equal(await pins.isApproved('s1', 'a'), false);
  });

  it('report a change once, also when it comes with two lists at the same time', async () => {
    const { pins, drifts, store } = open();
    await pins.listed('s1', [tool('a')], rules);
    const both = [1, 2].map(() => pins.listed('s1', [tool('a', 'other')], rules));
    assert.deepEqual(await Promise.all(both), [[], []]);
    assert.deepEqual([drifts.length, store.writes], [1, 2]);
  });

  it('are approved and forgotten as they are stored, whatever this replica knew', async () => {
    const { pins, other } = open();
    await pins.listed('s1', [tool('a'), tool('z')], rules);
    assert.deepEqual(await other.held('s1'), []);
    await pins.listed('s1', [tool('z', 'other'), tool('a', 'other'), tool('c')], rules);
    assert.deepEqual(await other.approve('s1', [{ tool: 'a' }]), ['a']);
    pins.changed('s1');
    assert.deepEqual(
      (await pins.held('s1')).map((it) => it.tool),
      ['c', 'z'],
    );
    await other.held('s1');
    await pins.listed('s1', [tool('d')], rules);
    await other.unpin('s1');
    pins.changed('s1');
    assert.deepEqual([await pins.held('s1'), await pins.isApproved('s1', 'a')], [[], false]);
    assert.equal(await pins.mayCall('s1', 'd', rules), true, 'as one that was never seen');
  });

  it('keep nothing of a read that began before a change and ended after it', async () => {
    const { pins, other, store } = open();
    await other.listed('s1', [tool('a')], rules);
    store.waiting = later();
    const asked = pins.mayCall('s1', 'a', rules);
    const { waiting } = store;
    store.waiting = undefined;
    await other.listed('s1', [tool('a', 'other')], rules);
    pins.changed('s1');
    waiting.resolve();
    await asked;
    assert.equal(await pins.mayCall('s1', 'a', rules), false);
  });

  it('of one server are not those of another', async () => {
    const { pins } = open();
    await pins.listed('s1', [tool('a')], rules);
    await pins.listed('s2', [tool('a', 'other')], rules);
    await pins.unpin('s2');
    assert.deepEqual([await pins.isApproved('s1', 'a'), await pins.isApproved('s2', 'a')], [true, false]);
  });
});

describe('a call of a pinned tool that is about to be sent', () => {
  const pinning = [guardrail('pin', { guardrail: 'tool_definition_pin', mode: 'pre_mcp_call', default_on: true })];
  const refusal = (name: string) => ({
    guardrail_name: 'pin',
    error: 'guardrail_violation',
    message: `The tool '${name}' is blocked because its definition has not been approved.`,
  });
  const call = guardedCall({}, { tool: 'a' });

  it('is judged by what its server lists now, and goes on where that is approved', async () => {
    const under = guardrailsUnderTest(pinning);
    under.tools = [tool('a')];
    assert.equal(await under.guardrails.beforeSending(call), undefined);
    under.tools = [tool('a', 'other')];
    assert.deepEqual(await under.guardrails.preMcpCall(call), {}, 'nobody has looked yet');
    assert.deepEqual(await under.guardrails.beforeSending(call), refusal('a'));
    assert.deepEqual((await under.guardrails.preMcpCall(call)).refusal, refusal('a'));
    assert.equal(under.drifts.length, 1);
    under.tools = [tool('a')];
    assert.equal(await under.guardrails.beforeSending(call), undefined);
  });

  it('is refused where its server does not list the tool, in a name of bounded length', async () => {
    const under = guardrailsUnderTest(pinning);
    under.tools = [tool('b')];
    assert.deepEqual(await under.guardrails.beforeSending(call), refusal('a'));
    const long = guardedCall({}, { tool: 'x'.repeat(300) });
    assert.deepEqual(await under.guardrails.beforeSending(long), refusal('x'.repeat(128)));
  });
});
