import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatAction } from '../../../../sidecar/protocol/channels/chat/actions.ts';
import { reduceChat } from '../../../../sidecar/protocol/channels/chat/reducer.ts';
import type { ChatState, Turn } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import { emptyChat } from '../../../support/protocol/arbitraryActions.ts';

const context = { now: '2026-02-02T00:00:00Z' };
const message = { text: 'hi', origin: { kind: 'user' } };
const turn = { turnId: 't1' };
const call = { ...turn, toolCallId: 'k1' };
/** A whole turn but for its end. */
const during: readonly ChatAction[] = [
  { type: 'chat/turnStarted', ...turn, message },
  { type: 'chat/responsePart', ...turn, part: { kind: 'markdown', id: 'p', content: '' } },
  { type: 'chat/delta', ...turn, partId: 'p', content: 'x' },
  { type: 'chat/toolCallStart', ...call, toolName: 'shell', displayName: 'Run' },
  { type: 'chat/toolCallReady', ...call, invocationMessage: 'ls' },
  { type: 'chat/toolCallConfirmed', ...call, approved: true, confirmed: 'user-action' },
  { type: 'chat/toolCallComplete', ...call, result: { success: true, pastTenseMessage: 'Ran' } },
  { type: 'chat/inputRequested', request: { id: 'q' } },
  { type: 'chat/inputCompleted', requestId: 'q', response: 'accept' },
  { type: 'chat/usage', ...turn, usage: {} },
];

describe('the cost of a turn', () => {
  for (const turns of [20, 2_000]) {
    it(`reads no element of ${turns} earlier turns while it runs`, () => {
      const { state, reads } = counted(turns);
      during.reduce((it, action) => reduceChat(it, action, context), state);
      assert.deepEqual(reads, { elements: 0, members: 0 });
    });

    it(`looks into none of ${turns} earlier turns when it ends`, () => {
      const { state, reads } = counted(turns);
      const running = during.reduce((it, action) => reduceChat(it, action, context), state);
      const ended = reduceChat(running, { type: 'chat/turnComplete', ...turn, duration: 1 }, context);
      assert.equal(ended.turns.length, turns + 1);
      assert.equal(reads.members, 0);
    });
  }
});

/** A chat that counts how often an element of `turns`, and a member of such an element, is read. */
function counted(length: number): { state: ChatState; reads: { elements: number; members: number } } {
  const reads = { elements: 0, members: 0 };
  const turns = Array.from({ length }, (_, at): Turn => {
    const one: Turn = { id: `old-${at}`, message, responseParts: [], state: 'complete' };
    return new Proxy(one, {
      get(target, key) {
        reads.members += 1;
        return Reflect.get(target, key);
      },
    });
  });
  const watched = new Proxy(turns, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads.elements += 1;
      return Reflect.get(target, key);
    },
  });
  return { state: { ...emptyChat, turns: watched }, reads };
}
