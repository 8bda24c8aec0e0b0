import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addTurn } from '../../../../../sidecar/host/sessions/usageTotals.ts';
import type { Turn } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { ModelTotal, SessionUsage } from '../../../../../sidecar/protocol/usageMeta.ts';

const turn = (usage?: object) => ({ id: 't', ...(usage && { usage }) }) as unknown as Turn;
const reported = (model: string, inputTokens: number, amount?: number, currency = 'USD') =>
  turn({ model, inputTokens, ...(amount !== undefined && { _meta: { cost: { amount, currency } } }) });
const counted = (...models: readonly object[]) =>
  turn({ _meta: { cost: { amount: 9, currency: 'USD' }, counted: models } });
const call = (model: string, cost: number, more: object = {}) =>
  ({ model, calls: 1, inputTokens: 10, outputTokens: 2, cost, ...more }) as const;
const dollars = (amount: number) => ({ amount, currency: 'USD' });

/** The session's total after all of the turns. */
const totalOf = (...turns: readonly Turn[]) =>
  turns.reduce<SessionUsage | undefined>((total, _, at) => addTurn(total, turns.slice(0, at + 1)) ?? total, undefined);
const costs = (all: readonly ModelTotal[] | undefined) => (all ?? []).map((it) => [it.model, it.cost?.amount]);

describe('what the turns of a session used', () => {
  it('is unknown where no turn reports usage', () => assert.equal(totalOf(turn(), turn()), undefined));

  it('is what the gateway recorded, by model, with sub-agents apart, whatever the cost of the conversation is', () => {
    const total = totalOf(
      counted(call('a', 0.25), call('b', 1)),
      counted(call('a', 0.5), call('a', 4, { subAgent: true })),
    );
    assert.deepEqual(total, {
      recorded: [
        { model: 'a', inputTokens: 20, outputTokens: 4, cost: dollars(0.75) },
        { model: 'b', inputTokens: 10, outputTokens: 2, cost: dollars(1) },
        { model: 'a', subAgent: true, inputTokens: 10, outputTokens: 2, cost: dollars(4) },
      ],
      reported: [],
    });
  });

  const costsSaid = [
    {
      says: 'the latest cost',
      turns: [reported('a', 1, 0.5), reported('a', 1, 0.75)],
      cost: 0.75,
    },
    {
      says: 'the sum of both costs after the agent started counting again',
      turns: [reported('a', 1, 0.5), reported('a', 1, 0.25)],
      cost: 0.75,
    },
    {
      says: 'no higher for a turn without a reported cost',
      turns: [reported('a', 1, 0.5), reported('a', 1)],
      cost: 0.5,
    },
    {
      says: 'no higher for what the gateway recorded',
      turns: [reported('a', 1, 0.5), counted(call('g', 3)), reported('a', 1, 1)],
      cost: 1,
    },
  ];
  for (const { says, turns, cost } of costsSaid)
    it(`is ${says}, where the agent reports the cost of its conversation`, () => {
      assert.deepEqual(costs(totalOf(...turns)?.reported), [['a', cost]]);
    });

  it('is kept apart by currency', () => {
    const total = totalOf(reported('a', 1, 0.5), reported('a', 1, 3, 'EUR'));
    assert.deepEqual(
      total?.reported.map((it) => it.cost),
      [dollars(0.5), { amount: 3, currency: 'EUR' }],
    );
  });

  it('is a list of bounded length, and complete, however many models an agent names', () => {
    const turns = Array.from({ length: 40 }, (_, at) => counted(call(`m${at}`, 1)));
    const { recorded } = totalOf(...turns)!;
    assert.equal(recorded.length, 16);
    assert.equal(
      recorded.reduce((sum, it) => sum + it.cost!.amount, 0),
      40,
    );
    assert.deepEqual([recorded[0]?.cost?.amount, recorded[15]?.model, recorded[15]?.cost?.amount], [1, '', 25]);
  });
});
