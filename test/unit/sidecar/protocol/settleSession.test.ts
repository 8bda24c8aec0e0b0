import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatSummary } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { settleSession } from '../../../../sidecar/protocol/settleSession.ts';
import { emptySession } from '../../../support/protocol/arbitraryActions.ts';
import { verifies } from '../../../support/verifies.ts';

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-02T00:00:00Z';
const chat = (id: string, status: number, more: Partial<ChatSummary> = {}): ChatSummary => ({
  resource: `host-chat:/${id}`,
  title: id,
  status,
  modifiedAt: early,
  activity: `${id} at work`,
  ...more,
});
const a = 'host-chat:/a';
const asked = { kind: 'chatInput' as const, id: 'n', chat: a, request: { id: 'q' } };

describe('settleSession', () => {
  verifies(
    'host.status.activity-bits',
    'host.status.flags',
    'host.summary.activity-bits',
    'host.summary.input-needed-wins',
    'host.summary.error-wins',
    'host.summary.flags',
    'host.summary.activity',
    'host.summary.activity-promoted',
    'host.summary.single-chat',
  );
  const rows: { says: string; state: Partial<SessionState>; status: number; activity?: string }[] = [
    { says: 'a session without chats is idle', state: { status: 8 }, status: 1 },
    {
      says: 'a single chat passes its values through',
      state: { chats: [chat('a', 8)] },
      status: 8,
      activity: 'a at work',
    },
    {
      says: 'the default chat counts, not the newest',
      state: { defaultChat: a, chats: [chat('a', 1), chat('b', 8, { modifiedAt: late })] },
      status: 1,
      activity: 'a at work',
    },
    {
      says: 'without a default chat the newest counts',
      state: { chats: [chat('a', 1), chat('b', 8, { modifiedAt: late })] },
      status: 8,
      activity: 'b at work',
    },
    {
      says: 'a default chat that is not listed does not count',
      state: { defaultChat: 'host-chat:/z', chats: [chat('a', 8)] },
      status: 8,
      activity: 'a at work',
    },
    {
      says: 'any chat that needs input promotes, and its activity shows',
      state: { defaultChat: a, chats: [chat('a', 8), chat('b', 24)] },
      status: 24,
      activity: 'b at work',
    },
    {
      says: 'the chat of a sub-agent in error does not promote',
      state: {
        defaultChat: a,
        chats: [chat('a', 8), chat('b', 2, { origin: { kind: 'tool', chat: a, toolCallId: 'c' } })],
      },
      status: 8,
      activity: 'a at work',
    },
    {
      says: 'any chat in error promotes',
      state: { defaultChat: a, chats: [chat('a', 8), chat('b', 2)] },
      status: 2,
      activity: 'b at work',
    },
    {
      says: 'needed input beats an error',
      state: { defaultChat: a, chats: [chat('a', 2), chat('b', 24)] },
      status: 24,
      activity: 'b at work',
    },
    {
      says: 'the default chat drives when it is one of several that need input',
      state: { defaultChat: a, chats: [chat('b', 24, { modifiedAt: late }), chat('a', 24)] },
      status: 24,
      activity: 'a at work',
    },
    {
      says: 'a list of needed input promotes whatever the chats say',
      state: { chats: [chat('a', 8)], inputNeeded: [asked] },
      status: 24,
      activity: 'a at work',
    },
    {
      says: 'the flags of the session stay and those of chats stay out',
      state: { status: 97, chats: [chat('a', 40)] },
      status: 104,
      activity: 'a at work',
    },
    {
      says: 'unknown high bits stay',
      state: { status: 0x8000_0001, chats: [chat('a', 8)] },
      status: 0x8000_0008,
      activity: 'a at work',
    },
    {
      says: 'a failed creation is an error',
      state: { lifecycle: 'creationFailed', chats: [chat('a', 1)] },
      status: 2,
      activity: 'a at work',
    },
    {
      says: 'bits that an action left behind are cleared',
      state: { status: 8, activity: 'old', chats: [{ ...chat('a', 1), activity: '' }] },
      status: 1,
      activity: '',
    },
  ];
  for (const { says, state, status, activity } of rows) {
    it(says, () => {
      const settled = settleSession({ ...emptySession, ...state });
      assert.deepEqual({ status: settled.status, activity: settled.activity }, { status, activity });
      assert.equal(settleSession(settled), settled);
    });
  }
});
