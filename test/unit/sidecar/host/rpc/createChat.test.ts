import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { AgentSession, ProviderCapabilities, TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { RequestParams } from '../../../../../sidecar/protocol/methods.ts';
import { chatUri, ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

type CreateChat = RequestParams<'createChat'>;
const all: ProviderCapabilities = { multipleChats: { fork: true, sideChat: true }, multipleWorkingDirectories: {} };
const user = (text: string) => ({ text, origin: { kind: 'user' } });

describe('createChat', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const heard: TurnRequest[] = [];
  let goOn: () => void = () => undefined;

  /** Answers each prompt with itself; `wait` is answered in halves, the second when the test says so. */
  async function open(capabilities = all, more: Partial<AgentSession> = {}): Promise<HostPeer> {
    heard.length = 0;
    const provider = scriptedProvider(async function* (turn) {
      heard.push(turn);
      yield { kind: 'text', partId: 'a', text: `to ${turn.text}` };
      if (turn.text !== 'wait') return;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      yield { kind: 'text', partId: 'b', text: 'and later words' };
    }, more);
    place = await openHostPlace([{ ...provider, capabilities }]);
    return place.connect();
  }
  async function say(peer: HostPeer, chat: string, ...texts: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const text of texts) {
      const id = await peer.prompt(chat, text);
      await peer.ended(chat, id);
      ids.push(id);
    }
    return ids;
  }
  const earlier = () => heard.at(-1)?.attachments.map((it) => (it.kind === 'text' ? it.text : it.kind)) ?? [];

  it('says what an agent can do in its entry, as the agent says it', async () => {
    verifies('host.capability.presence', 'host.agent.capabilities');
    const peer = await open();
    const agents = () => (peer.states.get(ROOT) as RootState).agents;
    await peer.until(() => agents().length > 0);
    assert.deepEqual(agents()[0]?.capabilities, all);
  });

  it('forks a chat: the turns through the given one are copied, and the agent is told them once', async () => {
    verifies('host.command.createChat', 'host.capability.fork-implies');
    const peer = await open({ ...all, multipleWorkingDirectories: { requiresPrimary: true } });
    const folders = [`file://${place.dataDir}`];
    const { session, chat } = await peer.newSession({
      workingDirectories: folders,
      primaryWorkingDirectory: folders[0]!,
    });
    const [, two] = await say(peer, chat, 'one', 'two', 'three');
    const copy = chatUri(randomUUID());
    const source = { kind: 'fork', chat, turnId: two! } as const;
    // Folders of a fork are those of its source, whatever is asked for.
    await peer.request('createChat', {
      channel: session,
      chat: copy,
      source,
      workingDirectories: ['file:///elsewhere'],
    });
    const added = peer.envelopes.findLast((it) => it.action.type === 'session/chatAdded');
    assert.ok(added, 'chatAdded came before the answer');
    const state = await peer.subscribe<ChatState>(copy);
    assert.deepEqual(state.turns, peer.chat(chat).turns.slice(0, 2));
    assert.deepEqual(state.origin, source);
    assert.equal(state.primaryWorkingDirectory, folders[0]);
    assert.equal(peer.session(session).chats[1]?.primaryWorkingDirectory, folders[0]);
    await say(peer, copy, 'four');
    assert.match(earlier()[0] ?? '', /one.*to one.*two.*to two$/s);
    await say(peer, copy, 'five');
    assert.deepEqual(earlier(), []);
    assert.equal(peer.chat(chat).turns.length, 3);
    await place.restart();
    const later = await place.connect('c2');
    const texts = (await later.subscribe<ChatState>(copy)).turns.map((it) => it.message.text);
    assert.deepEqual(texts, ['one', 'two', 'four', 'five']);
  });

  it('gives a chat the title that it is asked for, before that of its first message or its source', async () => {
    const peer = await open();
    const { session, chat } = await peer.newSession();
    const [first] = await say(peer, chat, 'one');
    const titleOf = async (more: Partial<CreateChat>) => {
      const made = chatUri(randomUUID());
      await peer.request('createChat', { channel: session, chat: made, ...more });
      const { title } = await peer.subscribe<ChatState>(made);
      assert.equal(peer.session(session).chats.find((it) => it.resource === made)?.title, title);
      return title;
    };
    const initialMessage = user('two');
    const source = { kind: 'fork', chat, turnId: first! } as const;
    assert.equal(await titleOf({ title: ' Mine ' }), 'Mine');
    assert.equal(await titleOf({ title: 'Mine', initialMessage }), 'Mine');
    assert.equal(await titleOf({ title: 'Mine', source }), 'Mine');
    assert.equal(await titleOf({ title: ' ', initialMessage }), 'two');
  });

  it('forks a long chat with turns that are on disk only', async () => {
    const peer = await open();
    const { session, chat } = await peer.newSession();
    const ids = await say(peer, chat, ...Array.from({ length: 40 }, (_it, n) => `turn ${n}`));
    const copy = chatUri(randomUUID());
    await peer.request('createChat', {
      channel: session,
      chat: copy,
      source: { kind: 'fork', chat, turnId: ids[37]! },
    });
    assert.deepEqual((await peer.subscribe<ChatState>(copy)).turns, peer.chat(chat).turns.slice(0, 38));
    assert.equal((await peer.subscribe<ChatState>(copy, 3)).turns.length, 3);
  });

  it('opens a side chat beside a running turn with what was said until then, and no later word', async () => {
    verifies('host.side-chat.context', 'host.side-chat.active-turn', 'host.capability.side-chat-implies');
    const peer = await open();
    const { session, chat } = await peer.newSession();
    await say(peer, chat, 'one');
    const turnId = await peer.prompt(chat, 'wait');
    await peer.until(() => JSON.stringify(peer.chat(chat)).includes('to wait'));
    const side = chatUri(randomUUID());
    const source = { kind: 'sideChat', chat, turnId, selection: { text: 'these words' } } as const;
    await peer.request('createChat', { channel: session, chat: side, source });
    goOn();
    await peer.ended(chat, turnId);
    const state = await peer.subscribe<ChatState>(side);
    assert.deepEqual([state.turns, state.origin], [[], source]);
    await place.restart();
    const later = await place.connect('c2');
    await later.subscribe(side);
    await say(later, side, 'why?');
    assert.match(earlier()[0] ?? '', /one.*to one.*wait.*to wait.*these words$/s);
    assert.ok(!earlier()[0]?.includes('later words'));
    const { context } = later.chat(side)._meta as { context: { uri: string } };
    const { data } = await later.request('resourceRead', { uri: context.uri, encoding: 'utf-8' });
    assert.equal(data, earlier()[0]);
  });

  it('starts the first turn with the message that came along', async () => {
    verifies('host.side-chat.turn-id');
    const peer = await open();
    const { session, chat } = await peer.newSession();
    const [turnId] = await say(peer, chat, 'one');
    const side = chatUri(randomUUID());
    const source = { kind: 'sideChat', chat, turnId: turnId! } as const;
    await peer.request('createChat', { channel: session, chat: side, source, initialMessage: user('A question') });
    const state = await peer.subscribe<ChatState>(side);
    await peer.until(() => peer.chat(side).turns.length === 1);
    assert.equal(state.title, 'A question');
    assert.match(earlier()[0] ?? '', /to one$/);
  });

  it('tells an agent that goes on with its own conversation nothing twice', async () => {
    const peer = await open(all, { resumeId: 'mine' });
    const { session, chat } = await peer.newSession();
    const [turnId] = await say(peer, chat, 'one');
    const copy = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat: copy, source: { kind: 'fork', chat, turnId: turnId! } });
    await peer.subscribe(copy);
    await say(peer, copy, 'two');
    assert.equal(earlier().length, 1);
    await place.restart();
    const later = await place.connect('c2');
    await later.subscribe(copy);
    await say(later, copy, 'three');
    assert.deepEqual(earlier(), []);
  });

  it('of a chat that is there is nothing to do', async () => {
    const peer = await open({});
    const { session, chat } = await peer.newSession();
    const before = peer.envelopes.length;
    assert.equal(await peer.request('createChat', { channel: session, chat }), null);
    assert.equal(peer.envelopes.length, before);
  });

  it('of a chat that is asked for twice at once is one chat, and its agent gets one first message', async () => {
    const peer = await open();
    const other = await place.connect('c2');
    const { session, chat } = await peer.newSession();
    const [turnId] = await say(peer, chat, 'one');
    const side = chatUri(randomUUID());
    // Earlier conversation is kept first: somebody else may make the chat meanwhile.
    const params: CreateChat = {
      channel: session,
      chat: side,
      source: { kind: 'sideChat', chat, turnId: turnId! },
      initialMessage: user('A question') as NonNullable<CreateChat['initialMessage']>,
    };
    const answers = await Promise.all([peer.request('createChat', params), other.request('createChat', params)]);
    assert.deepEqual(answers, [null, null]);
    await peer.subscribe(side);
    await peer.until(() => peer.chat(side).turns.length > 0);
    assert.equal(peer.envelopes.filter((it) => it.action.type === 'session/chatAdded').length, 1);
    assert.equal(peer.session(session).chats.length, 2);
    assert.deepEqual(
      heard.map((it) => it.text),
      ['one', 'A question'],
    );
  });

  const fork = (it: Row) => ({ source: { kind: 'fork', chat: it.chat, turnId: it.done } }) as const;
  interface Row {
    readonly session: string;
    readonly chat: string;
    readonly done: string;
    readonly running: string;
    readonly foreign: { readonly chat: string; readonly done: string };
  }
  interface Refusal {
    readonly says: string;
    readonly can?: ProviderCapabilities;
    readonly more: (row: Row) => Partial<CreateChat> | { readonly source: object };
    readonly code?: number;
    readonly message: string;
    readonly untrusted?: true;
  }
  for (const { says, can = all, more, code = -32602, message, untrusted } of [
    {
      says: 'a second chat of an agent that has one',
      can: {},
      more: () => ({}),
      message: 'chat: this agent supports only one chat per session',
    },
    {
      says: 'a fork of an agent without it',
      can: { multipleChats: {} },
      more: fork,
      message: 'source.kind: fork is not supported by this agent',
    },
    {
      says: 'a fork of an agent that says no',
      can: { multipleChats: { fork: false, sideChat: true } },
      more: fork,
      message: 'source.kind: fork is not supported by this agent',
    },
    {
      says: 'a side chat of an agent without it',
      can: { multipleChats: { fork: true } },
      more: (it) => ({ source: { ...fork(it).source, kind: 'sideChat' } }),
      message: 'source.kind: sideChat is not supported by this agent',
    },
    {
      says: 'a source of another kind',
      more: (it) => ({ source: { ...fork(it).source, kind: 'branch' } }),
      message: "invalid params for createChat: source.kind: Invalid discriminator value. Expected 'fork' | 'sideChat'",
    },
    {
      says: 'a source without a kind',
      more: ({ chat, done }) => ({ source: { chat, turnId: done } }),
      message: "invalid params for createChat: source.kind: Invalid discriminator value. Expected 'fork' | 'sideChat'",
    },
    {
      says: 'a side chat from no words',
      more: (it) => ({ source: { ...fork(it).source, kind: 'sideChat', selection: { text: '' } } }),
      message:
        'invalid params for createChat: source.selection.text: Too small: expected string to have >=1 characters',
    },
    {
      says: 'a fork of a turn that runs',
      more: ({ chat, running }) => ({ source: { kind: 'fork', chat, turnId: running } }),
      message: 'source.turnId: the turn is still running',
    },
    {
      says: 'a fork of no turn',
      more: ({ chat }) => ({ source: { kind: 'fork', chat, turnId: 'none' } }),
      message: 'source.turnId: turn not found',
    },
    {
      says: 'a side chat of no turn',
      more: ({ chat }) => ({ source: { kind: 'sideChat', chat, turnId: 'none' } }),
      message: 'source.turnId: turn not found',
    },
    {
      says: 'a fork of a chat of another session',
      more: ({ foreign }) => ({ source: { kind: 'fork', chat: foreign.chat, turnId: foreign.done } }),
      message: 'source.chat: chat not found in this session',
    },
    {
      says: 'a fork of no chat',
      more: ({ done }) => ({ source: { kind: 'fork', chat: 'host-chat:/none', turnId: done } }),
      message: 'source.chat: chat not found in this session',
    },
    {
      says: 'a chat from itself',
      more: ({ done }) => ({ source: { kind: 'fork', chat: 'host-chat:/new', turnId: done } }),
      message: 'source.chat: must not be the chat that is being created',
    },
    { says: 'a name that is no chat', more: () => ({ chat: 'host-session:/x' }), message: 'chat: not a chat URI' },
    {
      says: 'a chat of another session',
      more: ({ foreign }) => ({ chat: foreign.chat }),
      code: -32010,
      message: 'the chat belongs to another session',
    },
    {
      says: 'a session that is not there',
      more: () => ({ channel: 'host-session:/none' }),
      code: -32001,
      message: 'session not found',
    },
    {
      says: 'a folder of no session',
      more: () => ({ workingDirectories: ['file:///elsewhere'] }),
      message: "workingDirectories: must be among the session's folders",
    },
    {
      says: 'a primary folder of no session',
      more: () => ({ primaryWorkingDirectory: 'file:///elsewhere' }),
      message: "primaryWorkingDirectory: must be one of the chat's folders",
    },
    {
      says: 'a first message of the agent',
      more: () => ({ initialMessage: { text: 'x', origin: { kind: 'agent' } } }),
      message: "initialMessage.origin.kind: must be 'user' in messages from clients",
    },
    {
      says: 'a first message with too much attached',
      more: () => ({
        initialMessage: {
          ...user('x'),
          attachments: Array.from({ length: 101 }, () => ({ type: 'simple', label: 'a' }) as const),
        },
      }),
      message: 'initialMessage.attachments: must have at most 100 entries',
    },
    {
      says: 'a first message where nobody trusts the folder',
      untrusted: true,
      more: () => ({ initialMessage: user('x') }),
      code: -32009,
      message: 'Trust this folder to run agents.',
    },
  ] as readonly Refusal[]) {
    it(`refuses ${says}, and makes nothing`, async () => {
      verifies(
        'host.rule.multiple-chats',
        'host.rule.fork',
        'host.rule.side-chat',
        'host.capability.multiple-chats',
        'host.capability.fork',
        'host.capability.side-chat',
        'host.capability.absence',
      );
      const peer = await open(can);
      const { session, chat } = await peer.newSession();
      const [done] = await say(peer, chat, 'one');
      const foreign = await peer.newSession();
      const [theirs] = await say(peer, foreign.chat, 'theirs');
      const running = await peer.prompt(chat, 'wait');
      const requester = untrusted ? await place.connect('c2', { trusted: false }) : peer;
      const row = { session, chat, done: done!, running, foreign: { chat: foreign.chat, done: theirs! } };
      const params = { channel: session, chat: 'host-chat:/new', ...more(row) } as CreateChat;
      await assert.rejects(requester.request('createChat', params), { code, message });
      assert.equal(peer.session(session).chats.length, 1);
      await assert.rejects(peer.request('subscribe', { channel: 'host-chat:/new' }), { code: -32001 });
    });
  }
});
