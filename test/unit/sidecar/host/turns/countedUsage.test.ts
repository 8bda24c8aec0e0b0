import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { UsageEvent } from '../../../../../sidecar/agents/provider.ts';
import type { SessionCall } from '../../../../../sidecar/host/context/effectDeps.ts';
import { CountedUsage, costCounted, countTurn } from '../../../../../sidecar/host/turns/countedUsage.ts';
import type { CountedModel } from '../../../../../sidecar/protocol/usageMeta.ts';

const call = (model: string, inputTokens: number, outputTokens: number, cost: number): SessionCall => ({
  model,
  inputTokens,
  outputTokens,
  cost,
});

describe('the usage of a turn that the gateway counts', () => {
  let written: [UsageEvent, readonly CountedModel[]][];
  let isOpen: boolean;
  let usage: CountedUsage;
  beforeEach(() => {
    [written, isOpen] = [[], true];
    usage = new CountedUsage({
      costBefore: 0.5,
      write(event, models) {
        if (isOpen) written.push([event, models]);
        return isOpen;
      },
    });
  });

  it('adds the calls of each model, and the cost to that of the turns before', () => {
    for (const it of [call('big', 100, 10, 0.25), call('small', 7, 1, 0.125), call('big', 50, 5, 0.125)])
      assert.ok(usage.called(it));
    const [event, models] = written.at(-1)!;
    assert.deepEqual(event, {
      kind: 'usage',
      inputTokens: 157,
      outputTokens: 16,
      cost: { amount: 1, currency: 'USD' },
    });
    assert.deepEqual(models, [
      { model: 'big', calls: 2, inputTokens: 150, outputTokens: 15, cost: 0.375 },
      { model: 'small', calls: 1, inputTokens: 7, outputTokens: 1, cost: 0.125 },
    ]);
    assert.equal(written.length, 3, 'each call is shown as it is recorded');
  });
  it('keeps the calls of sub-agents apart from those that the agent makes itself with the same model', () => {
    usage.called(call('big', 100, 10, 0.25));
    for (const cost of [0.5, 0.125]) usage.called({ ...call('big', 7, 1, cost), subAgent: true });
    assert.deepEqual(written.at(-1)?.[1], [
      { model: 'big', calls: 1, inputTokens: 100, outputTokens: 10, cost: 0.25 },
      { model: 'big', subAgent: true, calls: 2, inputTokens: 14, outputTokens: 2, cost: 0.625 },
    ]);
  });
  it('takes the context from the agent, and neither its tokens nor its cost', () => {
    usage.called(call('big', 100, 10, 0.25));
    const context = { used: 90, size: 200 };
    const cost = { amount: 9, currency: 'EUR' };
    usage.said({ kind: 'usage', inputTokens: 1, outputTokens: 2, model: 'Big', context, cost });
    assert.deepEqual(written.at(-1)?.[0], {
      kind: 'usage',
      inputTokens: 100,
      outputTokens: 10,
      model: 'Big',
      context,
      cost: { amount: 0.75, currency: 'USD' },
    });
  });
  it('leaves a call that comes after its turn to the next turn', () => {
    usage.called(call('big', 100, 10, 0.25));
    isOpen = false;
    assert.equal(usage.called(call('big', 1, 1, 1)), false);
    assert.equal(usage.called(call('small', 1, 1, 1)), false);
    isOpen = true;
    usage.said({ kind: 'usage' });
    assert.deepEqual(written.at(-1)?.[1], [{ model: 'big', calls: 1, inputTokens: 100, outputTokens: 10, cost: 0.25 }]);
  });

  const begun: readonly (readonly [says: string, usages: Parameters<typeof costCounted>[0], expected: number])[] = [
    ['nothing where there was no turn', [], 0],
    ['nothing where only the agent reported a cost', [{ cost: { amount: 3, currency: 'USD' } }], 0],
    [
      'that of the last turn that was counted',
      [{ cost: { amount: 2, currency: 'USD' }, counted: [] }, undefined, { cost: { amount: 9, currency: 'USD' } }],
      2,
    ],
  ];
  for (const [says, usages, expected] of begun)
    it(`begins with ${says}`, () => assert.equal(costCounted(usages), expected));

  it("covers only its own chat, and only agents that use the gateway's models", () => {
    const meta = { cost: { amount: 1, currency: 'USD' }, counted: [] };
    const store = { state: () => ({ turns: [{ usage: { _meta: meta } }] }) };
    const takers: [string, (it: SessionCall) => boolean][] = [];
    let stops = 0;
    const sessionTools = {
      onCall(chat: string, take: (it: SessionCall) => boolean) {
        takers.push([chat, take]);
        return () => void (stops += 1);
      },
    };
    const deps = { store, sessionTools } as unknown as Parameters<typeof countTurn>[0];
    const shown: UsageEvent[] = [];
    const writer = { isOpen: true, usage: (event: UsageEvent) => void shown.push(event) };
    const of = (through?: 'gateway' | 'editor' | 'own') => {
      const runtime = { chat: 'c', agent: { ...(through && { modelsThrough: () => through }) } };
      return countTurn(deps, runtime as unknown as Parameters<typeof countTurn>[1], undefined, writer);
    };
    assert.deepEqual([of(), of('own'), of('editor')], [undefined, undefined, undefined]);
    const count = of('gateway');
    assert.equal(takers[0]?.[0], 'c');
    assert.ok(takers[0]?.[1](call('big', 1, 2, 0.5)));
    assert.deepEqual(shown.at(-1)?.cost, { amount: 1.5, currency: 'USD' });
    count?.stop();
    assert.equal(stops, 1);
  });
});
