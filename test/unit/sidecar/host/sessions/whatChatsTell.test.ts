import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { aggregate, titleOf } from '../../../../../sidecar/host/sessions/aggregate.ts';
import type { Change, Derived } from '../../../../../sidecar/host/state/typedChannels.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import { emptyChat, emptySession } from '../../../../support/protocol/arbitraryActions.ts';

const SESSION = 'host-session:/s';
const activeTurn = {
  id: 't1',
  startedAt: '2026-02-02T00:00:00Z',
  message: { text: '', origin: { kind: 'user' as const } },
  responseParts: [],
};

interface Told {
  readonly type?: string;
  readonly before?: Partial<ChatState>;
  readonly after?: Partial<ChatState>;
  readonly text?: string;
  readonly session?: { readonly title?: string; readonly status?: number; readonly defaultChat?: string };
  readonly isWatched?: boolean;
}

/** What a change of the chat tells its session, in words. */
function told({
  type = 'chat/titleChanged',
  before,
  after,
  text = '',
  session = {},
  isWatched = false,
}: Told): string[] {
  const change = {
    kind: 'chat',
    channel: emptyChat.resource,
    action: { type, message: { text } },
    before: { ...emptyChat, ...before },
    after: { ...emptyChat, ...after },
    metadata: { session: SESSION },
  };
  const derived = aggregate(change as unknown as Change, {
    session: () => ({ ...emptySession, title: '', status: status.Idle | status.IsRead, ...session }),
    usage: () => undefined,
    isWatched: (it) => isWatched && it === emptyChat.resource,
  });
  return derived.map(inWords);
}
function inWords(it: Derived): string {
  if ('metadata' in it) return `metadata ${JSON.stringify(it.metadata)}`;
  if (!('action' in it)) return 'state';
  const { type, ...more } = it.action as { type: string; changes?: object; title?: string; isRead?: boolean };
  return `${type.slice('session/'.length)} ${JSON.stringify(more.changes ?? more.title ?? more.isRead ?? '')}`;
}
const unread = 'isReadChanged false';

describe('what a chat tells its session', () => {
  const asks = status.InputNeeded;
  for (const { says, change, expected } of [
    {
      says: 'that there is news where its turn ended',
      change: { before: { activeTurn }, after: {} },
      expected: [unread],
    },
    {
      says: 'that there is news where it begins to ask',
      change: { before: { activeTurn, status: status.InProgress }, after: { activeTurn, status: asks } },
      expected: [`chatUpdated {"status":${asks}}`, unread],
    },
    {
      says: 'no news while it asks on',
      change: { before: { activeTurn, status: asks, title: 'a' }, after: { activeTurn, status: asks, title: 'b' } },
      expected: ['chatUpdated {"title":"b"}'],
    },
    {
      says: 'that there is news where it asks something more',
      change: {
        type: 'chat/inputRequested',
        before: { status: asks, title: 'a' },
        after: { status: asks, title: 'a' },
      },
      expected: [unread],
    },
    {
      says: 'no news to who looks at it',
      change: { before: { activeTurn }, after: {}, isWatched: true },
      expected: [],
    },
    {
      says: 'no news twice',
      change: { before: { activeTurn }, after: {}, session: { status: status.Idle } },
      expected: [],
    },
    {
      says: 'its title with its first turn',
      change: { type: 'chat/turnStarted', after: { activeTurn }, text: ' \n Fix it\nnow' },
      expected: ['metadata {"listed":true}', 'titleChanged "Fix it"'],
    },
    {
      says: 'no title where the session has one',
      change: { type: 'chat/turnStarted', after: { activeTurn }, text: 'Fix it', session: { title: 'Mine' } },
      expected: ['metadata {"listed":true}'],
    },
    {
      says: 'no title where the prompt has no words',
      change: { type: 'chat/turnStarted', after: { activeTurn }, text: ' \n' },
      expected: ['metadata {"listed":true}'],
    },
    {
      says: 'its own title with its first turn, where it is beside the first chat',
      change: {
        type: 'chat/turnStarted',
        before: { title: '' },
        after: { activeTurn, title: '' },
        text: 'Why?',
        session: { title: 'Mine', defaultChat: 'host-chat:/first' },
      },
      expected: ['metadata {"listed":true}', 'state', 'chatUpdated {"title":"Why?"}'],
    },
    {
      says: 'no title of its own where it was given one',
      change: {
        type: 'chat/turnStarted',
        before: { title: 'Named' },
        after: { activeTurn, title: 'Named' },
        text: 'Why?',
        session: { title: 'Mine', defaultChat: 'host-chat:/first' },
      },
      expected: ['metadata {"listed":true}'],
    },
    {
      says: 'what it does now',
      change: { before: {}, after: { activity: 'Thinks.' } },
      expected: ['chatUpdated {"activity":"Thinks."}'],
    },
    {
      says: 'all of it where something is gone, which no update could say',
      change: { before: { activity: 'Thinks.' }, after: {} },
      expected: ['chatAdded ""'],
    },
    {
      says: 'whom it takes prompts from, and where it works',
      change: { after: { interactivity: 'read-only', workingDirectories: ['file:///a'] } },
      expected: ['chatUpdated {"interactivity":"read-only","workingDirectories":["file:///a"]}'],
    },
    {
      says: 'when it changed',
      change: { after: { modifiedAt: '2027-01-01T00:00:00Z' } },
      expected: ['chatUpdated {"modifiedAt":"2027-01-01T00:00:00Z"}'],
    },
    {
      says: 'nothing with every word that is added',
      change: { type: 'chat/delta', after: { modifiedAt: '2027-01-01T00:00:00Z' } },
      expected: [],
    },
  ] as { says: string; change: Told; expected: string[] }[])
    it(`is ${says}`, () => {
      assert.deepEqual(told(change), expected);
    });

  it('is a question again where the same call asks something else', () => {
    const part = (invocationMessage: string) => {
      const call = {
        toolCallId: 'k',
        toolName: 'n',
        displayName: 'd',
        status: 'pending-confirmation',
        invocationMessage,
      };
      return {
        activeTurn: { ...activeTurn, responseParts: [{ kind: 'toolCall', toolCall: call }] },
      } as Partial<ChatState>;
    };
    const types = told({ before: part('one'), after: part('two') });
    assert.deepEqual(types, ['inputNeededSet ""']);
    assert.deepEqual(told({ before: part('one'), after: {} }), ['inputNeededRemoved ""', unread]);
  });

  for (const { cut, text, title } of [
    { cut: 'stays as long as it may be', text: 'x'.repeat(80), title: 'x'.repeat(80) },
    { cut: 'is cut beyond that', text: 'x'.repeat(81), title: `${'x'.repeat(80)}…` },
    {
      cut: 'is cut between two words',
      text: `${'x'.repeat(60)} ${'y'.repeat(30)}`,
      title: `${'x'.repeat(60)}…`,
    },
    {
      cut: 'is cut in a long word rather than to a short one',
      text: `ab ${'y'.repeat(100)}`,
      title: `ab ${'y'.repeat(77)}…`,
    },
  ])
    it(`has a title that ${cut}`, () => {
      assert.equal(titleOf(text), title);
    });
});
