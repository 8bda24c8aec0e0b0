import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatSummary } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AgentInfo } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import { toChats } from '../../../../../src/webviews/chat/chats/chatTabs.ts';
import { LeftChats } from '../../../../../src/webviews/chat/chats/leftChats.ts';
import { chatToShow } from '../../../../../src/webviews/chat/chats/shownChat.ts';

const [first, second] = ['host-chat:/1', 'host-chat:/2'];
const read = status.Idle | status.IsRead;
const entry = (resource: string, more: Partial<ChatSummary> = {}): ChatSummary => ({
  resource,
  title: '',
  status: read,
  modifiedAt: '2026-11-21T00:00:00Z',
  ...more,
});
const sessionOf = (...chats: ChatSummary[]): SessionState => ({
  provider: 'a',
  title: 'Dates',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats,
  defaultChat: first,
});
const agent = (capabilities: AgentInfo['capabilities']): AgentInfo => ({
  provider: 'a',
  displayName: 'A',
  description: '',
  models: [],
  ...(capabilities && { capabilities }),
});

describe('1a-15 the tabs of a session', () => {
  const two = (more: Partial<ChatSummary>) => toChats(sessionOf(entry(first), entry(second, more)), undefined, first);
  for (const { says, more, expected } of [
    { says: 'its name', more: { title: 'Why?' }, expected: { title: 'Why?' } },
    { says: 'that it works', more: { status: status.InProgress }, expected: { state: 'working' } },
    { says: 'that it needs a person', more: { status: status.InputNeeded }, expected: { state: 'needsYou' } },
    { says: 'that it failed', more: { status: status.Error | status.IsRead }, expected: { state: 'failed' } },
    { says: 'that there is news in it', more: { status: status.Idle }, expected: { isUnread: true } },
    { says: 'that it was closed', more: { status: read | status.IsArchived }, expected: { isClosed: true } },
    {
      says: 'that it needs a person, although it was closed',
      more: { status: status.InputNeeded | status.IsArchived },
      expected: { state: 'needsYou' },
    },
    {
      says: 'that a sub-agent is done, which takes no place any more',
      more: { origin: { kind: 'tool' as const, chat: first, toolCallId: 'c' } },
      expected: { isClosed: true },
    },
    {
      says: 'that a sub-agent works',
      more: { status: status.InProgress, origin: { kind: 'tool' as const, chat: first, toolCallId: 'c' } },
      expected: { state: 'working' },
    },
    {
      says: 'that it began beside another',
      more: { origin: { kind: 'sideChat' as const, chat: first, turnId: 't' } },
      expected: { isBeside: true },
    },
  ] as const)
    it(`say of a chat ${says}`, () => {
      const { chats } = two(more as Partial<ChatSummary>);
      assert.deepEqual(chats, [
        { id: first, title: 'Dates', state: 'idle', isMain: true },
        { id: second, title: '', state: 'idle', ...expected },
      ]);
    });

  it('are not there for one chat, nor for one that nobody may see', () => {
    assert.equal(toChats(sessionOf(entry(first)), undefined, first).chats, undefined);
    assert.equal(two({ interactivity: 'hidden' }).chats, undefined);
  });

  for (const { capabilities, expected } of [
    { capabilities: undefined, expected: [undefined, undefined] },
    { capabilities: { multipleChats: {} }, expected: [true, undefined] },
    { capabilities: { multipleChats: { sideChat: true } }, expected: [true, true] },
  ] as const)
    it(`offer what the agent says that it can do: ${JSON.stringify(capabilities)}`, () => {
      const { canAddChat, canAskBeside } = toChats(sessionOf(entry(first)), agent(capabilities), first);
      assert.deepEqual([canAddChat, canAskBeside], expected);
    });
});

describe('1a-15 a chat that a page shows', () => {
  it('is the one that was chosen while that is there, and else the first one', () => {
    const session = sessionOf(entry(first), entry(second));
    assert.equal(chatToShow(session, second), second);
    assert.equal(chatToShow(session, 'host-chat:/gone'), first);
    assert.equal(chatToShow(session, undefined), first);
    assert.equal(chatToShow(sessionOf(entry(first), entry(second, { interactivity: 'hidden' })), second), first);
  });

  it('comes back with the attachments and the model that it was left with', () => {
    const left = new LeftChats();
    const file = { id: 'f', attachment: { type: 'simple', label: 'f', modelRepresentation: 'f' } } as const;
    const fresh = { attachments: [], shownTurns: 30 };
    const inFirst = { attachments: [file], shownTurns: 60, chosen: { session: 's', model: 'large' } };
    assert.equal(left.enter(first, inFirst, fresh), undefined);
    assert.equal(left.enter(first, inFirst, fresh), undefined, 'it is shown already');
    const inSecond = left.enter(second, inFirst, fresh);
    assert.deepEqual(inSecond, { ...fresh, chosen: { session: 's' } });
    const back = left.enter(first, { ...inSecond!, chosen: { session: 's', model: 'small' } }, fresh);
    assert.deepEqual(back, inFirst);
  });
});
