import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readAnswer, toQuestion, type Waiting } from '../../../../../../sidecar/host/turns/budgets/question.ts';
import type { Passed, Scope } from '../../../../../../sidecar/host/turns/budgets/quotas.ts';

function waiting(scope: Scope, passed: Partial<Passed> = {}, dollars = 0.25): Waiting {
  const quota = { scope, account: { name: 'all', day: '' }, limit: {} };
  return {
    passed: { quota, unit: 'dollars', limit: 2, spent: 1.9, reserved: 0, ...passed },
    model: 'big',
    dollars,
    ofSession: { calls: 12, dollars: 1.9 },
    agent: 'Claude',
    isUnclear: false,
  };
}
const textOf = (it: Waiting) => toQuestion('id', it).questions[0]!.message;
function labelsOf(it: Waiting): string[] {
  const [question] = toQuestion('id', it).questions;
  return question?.kind === 'single-select' ? question.options.map(({ label }) => label) : [];
}

describe('the question about a budget', () => {
  const next = 'The next call to big can cost up to $0.25.';
  const cases: readonly [string, Waiting, string][] = [
    ['a session', waiting('session'), `Claude has spent $1.90 of this session's budget of $2.00 (calls: 12). ${next}`],
    [
      'calls that are running',
      waiting('session', { reserved: 0.05 }),
      `Claude has spent $1.90 of this session's budget of $2.00 (calls: 12). ${next}`,
    ],
    [
      'a day',
      waiting('day'),
      `All sessions have spent $1.90 of today's budget of $2.00, this session $1.90 in total. ${next}`,
    ],
    [
      'a folder',
      waiting('folder'),
      `All sessions in this folder have spent $1.90 of their budget of $2.00, this session $1.90. ${next}`,
    ],
    ['all', waiting('all'), `All sessions have spent $1.90 of their budget of $2.00, this session $1.90. ${next}`],
    [
      'calls',
      waiting('session', { unit: 'calls', limit: 3, spent: 3 }),
      "Claude has made 3 of 3 calls in this session's budget. The next call to big would exceed it.",
    ],
  ];
  for (const [what, given, text] of cases)
    it(`says what was spent, by whom, and what comes next, for ${what}`, () => assert.equal(textOf(given), text));

  it('says what is set aside for calls that are running', () => {
    const descriptions = (it: Waiting) => {
      const [question] = toQuestion('id', it).questions;
      return question?.kind === 'single-select' ? question.options.map(({ description }) => description) : [];
    };
    assert.equal(
      descriptions(waiting('session', { reserved: 0.05 }))[0],
      'Set aside for calls that are running: $0.05.',
    );
    assert.equal(descriptions(waiting('session'))[0], undefined);
  });

  it('offers enough for the call that waits', () => {
    assert.deepEqual(labelsOf(waiting('session')), ['Raise to $4.00', 'Raise to $10.00', 'Stop']);
    assert.deepEqual(labelsOf(waiting('session', {}, 7)), ['Raise to $8.90', 'Raise to $17.80', 'Stop']);
    const calls = waiting('session', { unit: 'calls', limit: 1, spent: 1 });
    assert.deepEqual(labelsOf(calls), ['Raise to 2 calls', 'Raise to 6 calls', 'Stop']);
  });

  const small = { model: 'small', dollars: 0.05 };
  it('offers to continue with a cheaper model for which there is room', () => {
    const labels = labelsOf({ ...waiting('session'), cheaper: small });
    assert.deepEqual(labels, ['Raise to $4.00', 'Raise to $10.00', 'Continue with small', 'Stop']);
  });

  const answers: readonly [string, Waiting, string | undefined, number | 'cheaper' | 'stop' | undefined][] = [
    ['an option', waiting('session'), '4', 4],
    ['an amount', waiting('session'), ' $ 2.50 ', 2.5],
    ['an amount with a comma', waiting('session'), '2,50', 2.5],
    ['Stop', waiting('session'), 'Stop', 'stop'],
    ['a cheaper model', { ...waiting('session'), cheaper: small }, 'cheaper', 'cheaper'],
    ['a cheaper model where there is none', waiting('session'), 'cheaper', undefined],
    ['nothing', waiting('session'), undefined, 'stop'],
    ['the same budget', waiting('session'), '2', undefined],
    ['too much', waiting('session'), '1e7', undefined],
    ['text', waiting('session'), 'more', undefined],
    ['no text', waiting('session'), '', undefined],
    ['half a call', waiting('session', { unit: 'calls', limit: 3 }), '3.5', undefined],
  ];
  for (const [what, given, text, expected] of answers)
    it(`reads ${what} as ${expected ?? 'no answer'}`, () => {
      const values: Record<string, string> = text === undefined ? {} : { budget: text };
      assert.equal(readAnswer({ response: 'accept', values }, given), expected);
    });

  it('reads the responses "decline" and "cancel" as stop', () => {
    for (const response of ['decline', 'cancel'] as const)
      assert.equal(readAnswer({ response, values: { budget: '4' } }, waiting('session')), 'stop');
  });
});
