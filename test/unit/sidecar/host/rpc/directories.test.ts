import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { AgentSession, ProviderCapabilities } from '../../../../../sidecar/agents/provider.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { RequestParams } from '../../../../../sidecar/protocol/methods.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const peers: ProviderCapabilities = { multipleChats: {}, multipleWorkingDirectories: {} };
const primary: ProviderCapabilities = { multipleChats: {}, multipleWorkingDirectories: { requiresPrimary: true } };
const set = (directory: string) => ({ type: 'session/workingDirectorySet', directory }) as AnyAction;
const remove = (directory: string) => ({ type: 'session/workingDirectoryRemoved', directory }) as AnyAction;
const setInChat = (directory: string) => ({ type: 'chat/workingDirectorySet', directory }) as AnyAction;
const removeInChat = (directory: string) => ({ type: 'chat/workingDirectoryRemoved', directory }) as AnyAction;

describe('working directories', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  /** Of each agent that was started: its folders by name, and the conversation that it goes on with. */
  const started: { folders: string[]; resumeId: string | undefined }[] = [];
  const uri = (name: string) => `file://${place.dataDir}/${name}`;
  const uris = (...names: string[]) => names.map(uri);

  async function open(capabilities: ProviderCapabilities = peers, more: Partial<AgentSession> = {}): Promise<HostPeer> {
    started.length = 0;
    const scripted = scriptedProvider(
      async function* (turn) {
        yield { kind: 'text', partId: 'a', text: turn.text };
      },
      { resumeId: 'the conversation', ...more },
    );
    const provider = {
      ...scripted,
      capabilities,
      open: async (...all: Parameters<typeof scripted.open>) => {
        const { folders, resumeId } = all[0];
        started.push({ folders: folders.map((it) => it.slice(place.dataDir.length + 1)), resumeId });
        return scripted.open(...all);
      },
    };
    place = await openHostPlace([provider]);
    for (const name of ['a', 'b', 'c']) mkdirSync(join(place.dataDir, name));
    return place.connect();
  }
  async function addChat(peer: HostPeer, session: string, more: Partial<RequestParams<'createChat'>>): Promise<string> {
    const chat = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat, ...more });
    await peer.subscribe(chat);
    return chat;
  }
  const say = async (peer: HostPeer, chat: string) => peer.ended(chat, await peer.prompt(chat, 'hello'));

  it('are added and removed by any client, for all who look, and outlive the host', async () => {
    verifies('host.session.working-directories', 'host.event.directory-set', 'host.event.directory-removed');
    const peer = await open();
    const { session } = await peer.newSession({ workingDirectories: uris('a') });
    const other = await place.connect('c2');
    await other.subscribe(session);
    for (const action of [set(uri('b')), set(uri('c')), remove(uri('a'))]) {
      const { rejectionReason, serverSeq } = await other.act(session, action);
      assert.equal(rejectionReason, undefined);
      await peer.until(() => peer.envelopes.some((it) => it.serverSeq === serverSeq));
    }
    for (const it of [peer, other]) assert.deepEqual(it.session(session).workingDirectories, uris('b', 'c'));
    await place.restart();
    const later = await place.connect('c3');
    await later.subscribe(session);
    assert.deepEqual(later.session(session).workingDirectories, uris('b', 'c'));
  });

  it('that are there already, or are not there, change nothing and are acknowledged', async () => {
    const peer = await open();
    const { session } = await peer.newSession({ workingDirectories: uris('a') });
    for (const action of [set(uri('a')), remove(uri('c'))])
      assert.equal((await peer.act(session, action)).rejectionReason, undefined);
    assert.deepEqual(peer.session(session).workingDirectories, uris('a'));
  });

  it('of a session reach the agent with the next turn, in the conversation that it has', async () => {
    verifies('host.session.chat-full-set');
    const peer = await open();
    const { session, chat } = await peer.newSession({ workingDirectories: uris('a') });
    await say(peer, chat);
    await peer.act(session, set(uri('b')));
    await say(peer, chat);
    await say(peer, chat);
    await peer.act(session, remove(uri('a')));
    await say(peer, chat);
    assert.deepEqual(started, [
      { folders: ['a'], resumeId: undefined },
      { folders: ['a', 'b'], resumeId: 'the conversation' },
      { folders: ['b'], resumeId: 'the conversation' },
    ]);
  });

  it('of a chat may be some of its session, and stay so when the session gets more', async () => {
    verifies('host.session.chat-subset', 'host.summary.directories');
    const peer = await open();
    const { session } = await peer.newSession({ workingDirectories: uris('a', 'b') });
    const chat = await addChat(peer, session, { workingDirectories: uris('b') });
    await peer.act(session, set(uri('c')));
    await say(peer, chat);
    assert.deepEqual(started.at(-1)?.folders, ['b']);
    await peer.act(chat, setInChat(uri('c')));
    await say(peer, chat);
    assert.deepEqual(started.at(-1)?.folders, ['b', 'c']);
    await peer.act(chat, removeInChat(uri('b')));
    await peer.act(chat, removeInChat(uri('c')));
    await say(peer, chat);
    assert.deepEqual(started.at(-1)?.folders, [], 'an empty list is no folder, and not all of them');
    assert.deepEqual(peer.session(session).workingDirectories, uris('a', 'b', 'c'));
    assert.deepEqual(peer.session(session).chats.find((it) => it.resource === chat)?.workingDirectories, []);
  });

  it('that leave the session leave its chats with the same breath', async () => {
    const peer = await open();
    const { session } = await peer.newSession({ workingDirectories: uris('a', 'b') });
    const chat = await addChat(peer, session, { workingDirectories: uris('a', 'b') });
    await peer.act(session, remove(uri('a')));
    await peer.until(() => peer.chat(chat).workingDirectories?.length === 1);
    assert.deepEqual(peer.chat(chat).workingDirectories, uris('b'));
    const from = peer.envelopes.findIndex((it) => it.action.type === 'session/workingDirectoryRemoved');
    assert.deepEqual(
      peer.envelopes.slice(from, from + 3).map((it) => it.action.type),
      ['session/workingDirectoryRemoved', 'chat/workingDirectoryRemoved', 'session/chatUpdated'],
    );
  });

  it('have one primary for each chat where the agent requires it, fixed when the chat is made', async () => {
    verifies('host.primary.per-chat', 'host.primary.supplied', 'host.rule.primary');
    const peer = await open(primary);
    const { session, chat } = await peer.newSession({
      workingDirectories: uris('a', 'b', 'c'),
      primaryWorkingDirectory: uri('b'),
    });
    const chosen = await addChat(peer, session, { primaryWorkingDirectory: uri('c') });
    const first = await addChat(peer, session, { workingDirectories: uris('c', 'a') });
    const primaries = [chat, chosen, first].map((it) => peer.chat(it).primaryWorkingDirectory);
    assert.deepEqual(primaries, uris('b', 'c', 'c'));
    await say(peer, chosen);
    assert.deepEqual(started.at(-1)?.folders, ['c', 'a', 'b']);
    for (const [channel, action, reason] of [
      [session, remove(uri('b')), /directory: a chat's primary folder cannot be removed/],
      [first, removeInChat(uri('c')), /directory: a chat's primary folder cannot be removed/],
      [chat, setInChat(uri('a')), /directory: set the chat's primary folder first/],
    ] as const) {
      assert.match((await peer.act(channel, action)).rejectionReason ?? '', reason);
    }
    // The list of a chat that had none begins with its primary.
    await peer.act(chat, setInChat(uri('b')));
    await peer.act(chat, setInChat(uri('a')));
    assert.deepEqual(peer.chat(chat).workingDirectories, uris('b', 'a'));
    await place.restart();
    const later = await place.connect('c2');
    assert.equal((await later.subscribe<ChatState>(chat)).primaryWorkingDirectory, uri('b'));
  });

  it('of a chat have no primary where the agent requires none, whatever is asked for', async () => {
    verifies('host.primary.absent');
    const peer = await open();
    const { session } = await peer.newSession({ workingDirectories: uris('a', 'b') });
    const chat = await addChat(peer, session, { primaryWorkingDirectory: uri('b') });
    assert.equal(peer.chat(chat).primaryWorkingDirectory, undefined);
    await say(peer, chat);
    assert.deepEqual(started.at(-1)?.folders, ['a', 'b']);
    assert.equal((await peer.act(session, remove(uri('b')))).rejectionReason, undefined);
  });

  it('are refused where they are no folders, none of the session, or nobody trusts the window', async () => {
    const peer = await open();
    const { session, chat } = await peer.newSession({ workingDirectories: uris('a') });
    const untrusting = await place.connect('c2', { trusted: false });
    for (const [by, channel, action, reason] of [
      [peer, session, set('untitled:one'), 'directory: not the URI of a folder'],
      [peer, chat, setInChat(uri('b')), "directory: must be one of the session's folders"],
      [untrusting, session, set(uri('b')), 'Trust this folder to change where agents work.'],
    ] as const) {
      assert.equal((await by.act(channel, action)).rejectionReason, reason);
    }
    assert.deepEqual(peer.session(session).workingDirectories, uris('a'));
  });
});
