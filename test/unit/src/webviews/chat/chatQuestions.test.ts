import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { toAnswer } from '../../../../../src/webviews/chat/chatQuestions.ts';
import type { AnswerModel, QuestionModel } from '../../../../../src/webviews/contract/chatModel.ts';

const question = (kind: QuestionModel['kind']): QuestionModel => ({
  id: 'q',
  kind,
  message: '?',
  required: false,
  options: [],
  allowsFreeform: true,
});

describe('an answer of the form', () => {
  for (const { kind, given, expected } of [
    { kind: 'text', given: { value: 'Ada' }, expected: { kind: 'text', value: 'Ada' } },
    { kind: 'number', given: { value: 1.5 }, expected: { kind: 'number', value: 1.5 } },
    { kind: 'integer', given: { value: 2 }, expected: { kind: 'number', value: 2 } },
    { kind: 'boolean', given: { value: false }, expected: { kind: 'boolean', value: false } },
    { kind: 'single-select', given: { value: 'a' }, expected: { kind: 'selected', value: 'a' } },
    {
      kind: 'single-select',
      given: { freeform: ' mine ' },
      expected: { kind: 'selected', value: '', freeformValues: ['mine'] },
    },
    {
      kind: 'multi-select',
      given: { value: ['a', 'b'], freeform: 'c' },
      expected: { kind: 'selected-many', value: ['a', 'b'], freeformValues: ['c'] },
    },
  ] satisfies { kind: QuestionModel['kind']; given: AnswerModel; expected: object }[]) {
    it(`to a ${kind} question becomes ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(toAnswer(question(kind), given, 'submitted'), { state: 'submitted', value: expected }));
  }

  for (const { kind, given } of [
    { kind: 'text', given: { value: 3 } },
    { kind: 'number', given: { value: '3' } },
    { kind: 'boolean', given: { value: 'yes' } },
    { kind: 'single-select', given: { value: ['a'] } },
    { kind: 'multi-select', given: { value: 'a' } },
  ] satisfies { kind: QuestionModel['kind']; given: AnswerModel }[]) {
    it(`of the wrong kind to a ${kind} question is none`, () =>
      assert.equal(toAnswer(question(kind), given, 'submitted'), undefined));
  }

  it('that was left empty is skipped when submitted, and no draft', () => {
    assert.deepEqual(toAnswer(question('text'), { value: '' }, 'submitted'), { state: 'skipped' });
    assert.equal(toAnswer(question('text'), { value: '' }, 'draft'), undefined);
  });
});
