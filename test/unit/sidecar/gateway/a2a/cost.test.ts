import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { A2aPrices } from '../../../../../sidecar/gateway/a2a/a2aDeps.ts';
import { type SessionCaps, SessionCounters } from '../../../../../sidecar/gateway/a2a/sessions.ts';
import { costOf, Tally } from '../../../../../sidecar/gateway/a2a/tally.ts';
import { SetClock } from '../../../../support/backends/setClock.ts';

const text = (length: number) => [{ kind: 'text', text: 'x'.repeat(length) }];
const prompt = { message: { parts: text(40) } };
const prices: A2aPrices = { input_cost_per_token: 1, output_cost_per_token: 10 };

describe('the cost of a call to an agent', () => {
  const rows: readonly [says: string, prices: A2aPrices | null, results: readonly unknown[], cost: number][] = [
    ['nothing where nothing has a price', null, [{ kind: 'message', parts: text(8) }], 0],
    [
      'what the answer says, before everything else',
      { ...prices, cost_per_query: 3 },
      [{ metadata: { response_cost: 0.5 } }],
      0.5,
    ],
    ['what the answer says in 1.0', prices, [{ task: { metadata: { response_cost: 0.25 } } }], 0.25],
    [
      'what the answer says, also where that is nothing',
      { cost_per_query: 3 },
      [{ metadata: { response_cost: 0 } }],
      0,
    ],
    ['not what the answer says below zero', { cost_per_query: 3 }, [{ metadata: { response_cost: -1 } }], 3],
    ['not what the answer says in words', { cost_per_query: 3 }, [{ metadata: { response_cost: '1' } }], 3],
    ['the price of a query, before tokens', { ...prices, cost_per_query: 3 }, [{ kind: 'message', parts: text(8) }], 3],
    ['a query that is free', { ...prices, cost_per_query: 0 }, [{ kind: 'message', parts: text(8) }], 0],
    [
      'tokens that the answer counted',
      prices,
      [{ metadata: { usage: { prompt_tokens: 7, completion_tokens: 2 } } }],
      27,
    ],
    ['tokens under their other names', prices, [{ usage: { input_tokens: 1, output_tokens: 1 } }], 11],
    [
      'tokens told with a status',
      prices,
      [{ status: { message: { metadata: { usage: { input_tokens: 1, output_tokens: 1 } } } } }],
      11,
    ],
    [
      'the last count of several',
      prices,
      [{ usage: { input_tokens: 1 } }, { usage: { input_tokens: 2, output_tokens: 1 } }],
      12,
    ],
    [
      'the last count also where nothing is counted after it',
      prices,
      [{ usage: { input_tokens: 2, output_tokens: 1 } }, { metadata: { other: 1 }, kind: 'message', parts: text(800) }],
      12,
    ],
    [
      'what one answer says also where later ones say nothing of it',
      { cost_per_query: 3 },
      [{ metadata: { response_cost: 0.5 } }, { metadata: {} }, { kind: 'message', parts: [null, 'x'] }],
      0.5,
    ],
    ['an estimate of a message of 0.3', prices, [{ kind: 'message', parts: text(8) }], 30],
    ['an estimate of a message of 1.0', prices, [{ message: { parts: [{ text: 'x'.repeat(9) }] } }], 40],
    [
      'an estimate of a task, without the history that repeats the question',
      prices,
      [
        {
          kind: 'task',
          artifacts: [{ parts: text(8) }],
          status: { message: { parts: text(4) } },
          history: [{ parts: text(400) }],
        },
      ],
      40,
    ],
    [
      'an estimate of a task of 1.0, with all of its artifacts',
      prices,
      [{ task: { artifacts: [{ parts: text(8) }, { parts: text(4) }], history: [{ parts: text(400) }] } }],
      40,
    ],
    [
      'an estimate of a stream of 0.3',
      prices,
      [
        { kind: 'artifact-update', artifact: { parts: text(4) } },
        { kind: 'artifact-update', artifact: { parts: text(4) } },
        { kind: 'status-update', status: { message: { parts: text(4) } } },
      ],
      40,
    ],
    [
      'a stream whose last task repeats its pieces once',
      prices,
      [{ artifactUpdate: { artifact: { parts: text(8) } } }, { task: { artifacts: [{ parts: text(8) }] } }],
      30,
    ],
    ['the question alone where there was no answer', prices, [], 10],
    [
      'no files and no data',
      prices,
      [
        {
          kind: 'message',
          parts: [
            { kind: 'file', file: { bytes: 'x'.repeat(400) } },
            { kind: 'data', data: {} },
          ],
        },
      ],
      10,
    ],
    [
      'nothing strange for garbage',
      prices,
      [null, 1, [], { task: 7, parts: 'x' }, { artifacts: [null] }, { usage: { input_tokens: Number.NaN } }],
      10,
    ],
  ];
  for (const [says, own, results, cost] of rows) {
    it(`is ${says}`, () => {
      const tally = new Tally(prompt);
      for (const it of results) tally.see(it);
      assert.equal(costOf(own, tally.usage), cost);
    });
  }
});

describe('the counters of a session', () => {
  const enter = (sessions: SessionCounters, session: string, cost = 0, caps = { max_iterations: 2 }) =>
    sessions.enter(session, caps, cost);

  it('let so many messages through as were registered, each session by itself', () => {
    const sessions = new SessionCounters(new SetClock(), 1_000);
    const found = ['a', 'a', 'b', 'a', 'b', 'b'].map((it) => typeof enter(sessions, it));
    assert.deepEqual(found, ['function', 'function', 'function', 'string', 'function', 'string']);
  });

  it('live for their time and begin anew', () => {
    const clock = new SetClock();
    const sessions = new SessionCounters(clock, 1_000);
    enter(sessions, 'a');
    enter(sessions, 'a');
    clock.pass(999);
    assert.equal(typeof enter(sessions, 'a'), 'string');
    clock.pass(1);
    assert.equal(typeof enter(sessions, 'a'), 'function');
  });

  it('reserve what a call is known to cost, so that calls at the same time cannot pass the budget together', () => {
    const sessions = new SessionCounters(new SetClock(), 1_000);
    const caps = { max_budget_per_session: 5 };
    const entered = Array.from({ length: 100 }, () => sessions.enter('a', caps, 2));
    const through = entered.filter((it) => typeof it === 'function');
    assert.equal(through.length, 2);
    for (const settle of through) settle(0);
    assert.equal(typeof sessions.enter('a', caps, 5), 'function');
  });

  it('know no cap that was registered as null, and stop a session at exactly its budget', () => {
    const sessions = new SessionCounters(new SetClock(), 1_000);
    const enterWith = (caps: SessionCaps, cost: number) => typeof sessions.enter('a', caps, cost);
    const budget = { max_iterations: null, max_budget_per_session: 2 };
    const messages = { max_iterations: 3, max_budget_per_session: null };
    assert.deepEqual(
      [enterWith(budget, 2), enterWith(messages, 9), enterWith(messages, 0), enterWith(messages, 0)],
      ['function', 'function', 'function', 'string'],
    );
    const others = new SessionCounters(new SetClock(), 1_000);
    assert.equal(typeof others.enter('a', budget, 2), 'function');
    assert.equal(typeof others.enter('a', budget, 0), 'string');
  });

  it('stop a session that spent its budget, and say how much', () => {
    const sessions = new SessionCounters(new SetClock(), 1_000);
    const settle = sessions.enter('a', { max_budget_per_session: 5 }, 0);
    assert.equal(typeof settle, 'function');
    if (typeof settle === 'function') settle(7);
    const says = sessions.enter('a', { max_budget_per_session: 5 }, 0);
    assert.equal(says, "This session's budget has been exceeded. Current cost: 7, Max budget: 5");
  });
});
