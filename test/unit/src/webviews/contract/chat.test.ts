import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ChatFromPage } from '../../../../../src/webviews/contract/chat.ts';
import { parseSaved } from '../../../../../src/webviews/contract/saved.ts';

describe('what the chat page may ask', () => {
  for (const message of [
    { type: 'ready' },
    { type: 'send', text: 'Hello', how: 'queue', unsaved: 'ask' },
    { type: 'decide', turnId: 't', toolCallId: 'c', optionId: 'deny-with-reason', reason: 'no' },
    { type: 'answer', requestId: 'r', response: 'accept', answers: { q: { value: ['a', 'b'], freeform: 'c' } } },
    { type: 'answerDraft', requestId: 'r', questionId: 'q' },
    { type: 'tool', turnId: 't', toolCallId: 'c', what: 'preview', index: 0 },
  ]) {
    it(`takes ${message.type}`, () => assert.ok(ChatFromPage.safeParse(message).success));
  }

  for (const { says, message } of [
    { says: 'nothing', message: undefined },
    { says: 'a text', message: 'ready' },
    { says: 'an unknown type', message: { type: 'execute', command: 'workbench.action.terminal.new' } },
    { says: 'a member too many', message: { type: 'stop', command: 'rm' } },
    { says: 'a prompt that is no text', message: { type: 'send', text: {}, how: 'send', unsaved: 'ask' } },
    { says: 'a prompt beyond the limit', message: { type: 'draft', text: 'x'.repeat(1_000_001) } },
    { says: 'a negative index', message: { type: 'tool', turnId: 't', toolCallId: 'c', what: 'file', index: -1 } },
    {
      says: 'an answer of an object',
      message: { type: 'answerDraft', requestId: 'r', questionId: 'q', answer: { value: {} } },
    },
    { says: 'an unknown operation', message: { type: 'changes', turnId: 't', what: 'overwrite' } },
    { says: 'a thousand queued messages', message: { type: 'reorder', order: Array(1000).fill('a') } },
  ]) {
    it(`refuses ${says}`, () => assert.equal(ChatFromPage.safeParse(message).success, false));
  }
});

describe('what a page kept over a reload', () => {
  for (const { says, state, expected } of [
    { says: 'nothing', state: undefined, expected: {} },
    {
      says: 'a session',
      state: { draft: 'x', restore: { session: 'host-session:/a' } },
      expected: { session: 'host-session:/a' },
    },
    {
      says: 'values of a session, which are not kept: a mode is chosen by a click',
      state: { restore: { provider: 'a', config: { mode: 'yolo' } } },
      expected: { provider: 'a' },
    },
    { says: 'a URI of another kind', state: { restore: { session: 'file:///etc/passwd' } }, expected: {} },
    { says: 'nonsense', state: { restore: 7 }, expected: {} },
  ]) {
    it(`is read from ${says}`, () => assert.deepEqual(parseSaved(state), expected));
  }
});
