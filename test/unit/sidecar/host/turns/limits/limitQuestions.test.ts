import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  readLimit,
  sessionQuestion,
  subAgentQuestion,
} from '../../../../../../sidecar/host/turns/limits/limitQuestions.ts';

describe('the question about a limit', () => {
  const labelsOf = ({ questions: [question] }: ReturnType<typeof sessionQuestion>) =>
    question?.kind === 'single-select' ? question.options.map(({ label }) => label) : [];

  it('offers limits that allow at least one more', () => {
    const sessions = (count: number, limit: number) =>
      labelsOf(sessionQuestion('id', { isFolder: false, count, limit }, false));
    assert.deepEqual(sessions(1, 1), ['Wait', 'Raise to 2 sessions', 'Raise to 3 sessions', 'Stop']);
    assert.deepEqual(sessions(6, 4), ['Wait', 'Raise to 7 sessions', 'Raise to 8 sessions', 'Stop']);
    const subAgents = labelsOf(subAgentQuestion('id', { agent: 'Claude', count: 4, limit: 4 }, false));
    assert.deepEqual(subAgents, ['Raise to 5 sub-agents', 'Raise to 8 sub-agents', 'Stop']);
  });

  it('offers no limit twice, and none above the maximum', () => {
    const sessions = (limit: number) =>
      labelsOf(sessionQuestion('id', { isFolder: false, count: limit, limit }, false));
    const subAgents = (limit: number) =>
      labelsOf(subAgentQuestion('id', { agent: 'Claude', count: limit, limit }, false));
    assert.deepEqual(sessions(999), ['Wait', 'Raise to 1000 sessions', 'Stop']);
    assert.deepEqual(sessions(1000), ['Wait', 'Stop']);
    assert.deepEqual(subAgents(999), ['Raise to 1000 sub-agents', 'Stop']);
    assert.deepEqual(subAgents(1000), ['Stop']);
  });

  const answers: readonly (readonly [string, string | undefined, number | 'wait' | 'stop' | undefined])[] = [
    ['an option', '5', 5],
    ['Wait', 'Wait', 'wait'],
    ['Stop', ' stop ', 'stop'],
    ['a skipped question', undefined, 'wait'],
    ['the same limit', '4', undefined],
    ['half a session', '4.5', undefined],
    ['too much', '1001', undefined],
    ['text', 'more', undefined],
    ['no text', '', undefined],
  ];
  for (const [what, given, expected] of answers)
    it(`reads ${what} as ${expected ?? 'no answer'}`, () => {
      const values = given === undefined ? {} : { limit: given };
      assert.equal(readLimit({ response: 'accept', values }, 4, 'wait'), expected);
    });
  for (const response of ['decline', 'cancel'] as const)
    it(`reads ${response} as stop`, () =>
      assert.equal(readLimit({ response, values: { limit: 'wait' } }, 4, 'wait'), 'stop'));
});
