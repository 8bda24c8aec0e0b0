import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { budgetProblem } from '../../../../src/commands/budgetProblem.ts';
import { english } from '../../../support/extensionStates.ts';

describe('what a person enters as a budget', () => {
  const cases = [
    ['dollars', '2.5', true],
    ['dollars', '0', false],
    ['dollars', '', false],
    ['dollars', 'two', false],
    ['dollars', '1000001', false],
    ['calls', '3', true],
    ['calls', '3.5', false],
    ['calls', '0', false],
    ['calls', '-1', false],
  ] as const;
  for (const [unit, typed, fits] of cases)
    it(`${fits ? 'can' : 'cannot'} be ${JSON.stringify(typed)} in ${unit}`, () =>
      assert.equal(budgetProblem(english, unit, typed) === undefined, fits));
});
