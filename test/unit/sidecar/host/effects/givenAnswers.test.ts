import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type CheckContext, checkChatAction } from '../../../../../sidecar/host/effects/checkAction.ts';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';

const options = [
  { id: 'a', label: 'A' },
  { id: 'b', label: 'B' },
];
const many = { id: 'q', kind: 'multi-select', message: 'Which?', options, allowFreeformInput: true, min: 1, max: 2 };
const one = { id: 'q', kind: 'single-select', message: 'Which?', options, allowFreeformInput: true };
const strict = { ...many, allowFreeformInput: false };

const selected = (value: readonly string[], freeformValues?: readonly string[]) => ({
  state: 'submitted',
  value: { kind: 'selected-many', value, ...(freeformValues && { freeformValues }) },
});
const chosen = (value: string, freeformValues?: readonly string[]) => ({
  state: 'submitted',
  value: { kind: 'selected', value, ...(freeformValues && { freeformValues }) },
});

describe('an answer to a question with choices', () => {
  const judge = (question: object, answer: object): string | undefined => {
    const part = { kind: 'inputRequest', request: { id: 'r', questions: [question] } };
    const state = { turns: [], activeTurn: { id: 't', responseParts: [part] } } as unknown as ChatState;
    const action = { type: 'chat/inputCompleted', requestId: 'r', response: 'accept', answers: { q: answer } };
    return checkChatAction(action as unknown as ChatAction, state, {} as CheckContext);
  };
  const unknown = 'answers.q: is not one of the choices';

  for (const { says, question, answer, reason } of [
    { says: 'all that may be chosen', question: many, answer: selected(['a', 'b']), reason: undefined },
    { says: 'words of its own among the choices', question: many, answer: selected(['a'], ['c']), reason: undefined },
    {
      says: 'more than may be chosen, its own words counted',
      question: many,
      answer: selected(['a'], ['c', 'd']),
      reason: 'answers.q: must have at most 2 choices',
    },
    {
      says: 'nothing where something is to be chosen',
      question: many,
      answer: selected([], []),
      reason: 'answers.q: must have at least 1 choice',
    },
    { says: 'what nobody offered', question: many, answer: selected(['a', 'x']), reason: unknown },
    {
      says: 'what nobody offered, beside its own words',
      question: many,
      answer: selected(['x'], ['c']),
      reason: unknown,
    },
    { says: 'its own words alone', question: one, answer: chosen('', ['c']), reason: undefined },
    { says: 'nothing at all', question: one, answer: chosen(''), reason: unknown },
    { says: 'something else beside its own words', question: one, answer: chosen('x', ['c']), reason: unknown },
    {
      says: 'its own words where only choices count',
      question: strict,
      answer: selected(['a'], ['c']),
      reason: 'answers.q: must be one of the choices: A, B',
    },
  ])
    it(`that has ${says} is ${reason === undefined ? 'accepted' : 'refused'}`, () =>
      assert.equal(judge(question, answer), reason));
});
