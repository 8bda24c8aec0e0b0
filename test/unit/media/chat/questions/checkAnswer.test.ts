import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { checkAnswer } from '../../../../../media/chat/questions/checkAnswer.ts';
import type { AnswerModel, QuestionModel } from '../../../../../src/webviews/contract/chatModel.ts';

const question = (more: Partial<QuestionModel>): QuestionModel => ({
  id: 'q',
  kind: 'text',
  message: '?',
  required: false,
  options: [],
  allowsFreeform: false,
  ...more,
});

describe('checking an answer in the form', () => {
  for (const { says, of, answer, isRight } of [
    { says: 'nothing for an optional question', of: {}, answer: {}, isRight: true },
    { says: 'nothing for a required one', of: { required: true }, answer: {}, isRight: false },
    {
      says: 'blank free text for a required choice',
      of: { kind: 'single-select', required: true },
      answer: { freeform: ' ' },
      isRight: false,
    },
    { says: 'a text that is too short', of: { min: 3 }, answer: { value: 'ab' }, isRight: false },
    { says: 'a text that is too long', of: { max: 3 }, answer: { value: 'abcd' }, isRight: false },
    { says: 'an e-mail address', of: { format: 'email' }, answer: { value: 'ada@example.com' }, isRight: true },
    { says: 'no e-mail address', of: { format: 'email' }, answer: { value: 'ada' }, isRight: false },
    { says: 'a date', of: { format: 'date' }, answer: { value: '2026-11-21' }, isRight: true },
    { says: 'a month that there is not', of: { format: 'date' }, answer: { value: '2026-13-21' }, isRight: false },
    { says: 'an address', of: { format: 'uri' }, answer: { value: 'https://example.com' }, isRight: true },
    { says: 'a text of an unknown format', of: { format: 'colour' }, answer: { value: 'red' }, isRight: true },
    { says: 'a fraction for a whole number', of: { kind: 'integer' }, answer: { value: 1.5 }, isRight: false },
    { says: 'no number', of: { kind: 'number' }, answer: { value: Number.NaN }, isRight: false },
    { says: 'a number below the least', of: { kind: 'number', min: 1 }, answer: { value: 0 }, isRight: false },
    { says: 'a number above the most', of: { kind: 'number', max: 1 }, answer: { value: 2 }, isRight: false },
    { says: 'too few choices', of: { kind: 'multi-select', min: 2 }, answer: { value: ['a'] }, isRight: false },
    {
      says: 'enough with free text',
      of: { kind: 'multi-select', min: 2 },
      answer: { value: ['a'], freeform: 'b' },
      isRight: true,
    },
    { says: 'too many choices', of: { kind: 'multi-select', max: 1 }, answer: { value: ['a', 'b'] }, isRight: false },
  ] satisfies { says: string; of: Partial<QuestionModel>; answer: AnswerModel; isRight: boolean }[]) {
    it(`${isRight ? 'takes' : 'refuses'} ${says}`, () =>
      assert.equal(checkAnswer(question(of), answer) === undefined, isRight));
  }
});
