import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ChatInputAnswer, type ChatInputQuestion } from '../../../../sidecar/protocol/channels/chat/inputRequests.ts';
import {
  completed,
  type Given,
  isAskable,
  picksProblem,
  problemOf,
  toAnswer,
} from '../../../../src/requests/questions.ts';
import { english } from '../../../support/extensionStates.ts';

const base = { id: 'q', message: 'What?' };
const number: ChatInputQuestion = { ...base, kind: 'number', min: 1, max: 5 };
const integer: ChatInputQuestion = { ...base, kind: 'integer', min: 1 };
const text: ChatInputQuestion = { ...base, kind: 'text', min: 2, max: 4 };
const many: ChatInputQuestion = { ...base, kind: 'multi-select', min: 1, max: 2, options: [{ id: 'a', label: 'A' }] };
const one = { ...base, kind: 'single-select' as const, options: [{ id: 'a', label: 'A' }] } satisfies ChatInputQuestion;

describe('questions in the editor', () => {
  it('say why a typed text is no answer', () => {
    const cases: readonly [ChatInputQuestion, string, string | undefined][] = [
      [number, '3.5', undefined],
      [number, '0', 'Must be at least 1.'],
      [number, '1', undefined],
      [number, '5', undefined],
      [number, '6', 'Must be no more than 5.'],
      [{ ...base, kind: 'number' }, '-7', undefined],
      [number, 'three', 'Enter a number.'],
      [number, ' ', 'Enter a number.'],
      [integer, '2.5', 'Enter a whole number.'],
      [text, 'abc', undefined],
      [text, 'ab', undefined],
      [text, 'abcd', undefined],
      [{ ...base, kind: 'text' }, 'a', undefined],
      [text, 'a', 'Enter at least 2 characters.'],
      [text, 'abcde', 'Enter no more than 4 characters.'],
      [{ ...text, max: 1 }, 'ab', 'Enter no more than 1 character.'],
      [text, '', undefined],
      [{ ...text, required: true }, '', 'Enter an answer.'],
    ];
    for (const [question, typed, problem] of cases) assert.equal(problemOf(english, question, typed), problem, typed);
  });

  it('say why these picks are no answer', () => {
    const some = { ...base, kind: 'multi-select' as const, options: one.options } satisfies ChatInputQuestion;
    const cases: readonly [ChatInputQuestion, number, string | undefined][] = [
      [many, 0, 'Select at least one.'],
      [many, 1, undefined],
      [many, 2, undefined],
      [many, 3, 'Select at most 2.'],
      [some, 0, undefined],
      [some, 3, undefined],
      [{ ...some, required: true }, 0, 'Select at least one.'],
      [{ ...some, min: 0 }, 0, undefined],
      [{ ...some, min: 2 }, 1, 'Select at least 2.'],
      [{ ...some, min: 2 }, 2, undefined],
      [one, 0, undefined],
      [{ ...one, required: true }, 0, undefined],
    ];
    for (const [question, count, problem] of cases) assert.equal(picksProblem(english, question, count), problem);
  });

  it('become answers of the protocol, empty ones skipped', () => {
    const cases: readonly [ChatInputQuestion, Given, unknown][] = [
      [text, { kind: 'typed', text: 'abc' }, { state: 'submitted', value: { kind: 'text', value: 'abc' } }],
      [text, { kind: 'typed', text: '' }, { state: 'skipped' }],
      [number, { kind: 'typed', text: '2.5' }, { state: 'submitted', value: { kind: 'number', value: 2.5 } }],
      [integer, { kind: 'typed', text: '4' }, { state: 'submitted', value: { kind: 'number', value: 4 } }],
      [
        { ...base, kind: 'boolean' },
        { kind: 'yesNo', value: false },
        { state: 'submitted', value: { kind: 'boolean', value: false } },
      ],
      [one, { kind: 'picked', ids: ['a'] }, { state: 'submitted', value: { kind: 'selected', value: 'a' } }],
      [
        one,
        { kind: 'picked', ids: [], freeform: 'mine' },
        { state: 'submitted', value: { kind: 'selected', value: '', freeformValues: ['mine'] } },
      ],
      [many, { kind: 'picked', ids: ['a'] }, { state: 'submitted', value: { kind: 'selected-many', value: ['a'] } }],
      [many, { kind: 'picked', ids: [] }, { state: 'skipped' }],
    ];
    for (const [question, given, answer] of cases) {
      assert.deepEqual(toAnswer(question, given), answer);
      assert.ok(ChatInputAnswer.safeParse(answer).success);
    }
  });

  it('end with one action that names the request, and has answers only where a person gave some', () => {
    const answers = { q: { state: 'skipped' } } as const;
    const ended = { type: 'chat/inputCompleted', requestId: 'r' };
    assert.deepEqual(completed('r', 'accept', answers), { ...ended, response: 'accept', answers });
    assert.deepEqual(completed('r', 'decline'), { ...ended, response: 'decline' });
  });

  it('of a request without any are asked in the chat: nobody agrees to a message that was not on the screen', () => {
    for (const request of [
      { id: 'r', message: 'Delete it?' },
      { id: 'r', message: 'Delete it?', questions: [] },
    ]) {
      assert.equal(isAskable(request), false);
    }
  });

  it('of a kind from a newer host are asked in the chat', () => {
    assert.equal(isAskable({ id: 'r', questions: [text, one] }), true);
    assert.equal(
      isAskable({ id: 'r', questions: [{ ...base, kind: 'drawing' } as unknown as ChatInputQuestion] }),
      false,
    );
  });
});
