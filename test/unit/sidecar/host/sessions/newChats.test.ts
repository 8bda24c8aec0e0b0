import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { later } from '../../../../support/later.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

describe('further chats of a session', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const opened: { readonly folders: readonly string[]; readonly who: string | undefined }[] = [];
  async function open(close: () => Promise<void> = async () => undefined) {
    opened.length = 0;
    const provider = scriptedProvider(async function* () {}, { close });
    place = await openHostPlace([
      {
        ...provider,
        capabilities: { multipleChats: {}, multipleWorkingDirectories: {} },
        open: (context, signal) => {
          opened.push({ folders: context.folders, who: context.env['WHO'] });
          return provider.open(context, signal);
        },
      },
    ]);
    return place.connect('c1', { env: { WHO: 'first' } });
  }
  const folder = (name: string) => {
    mkdirSync(join(place.dataDir, name), { recursive: true });
    return `file://${join(place.dataDir, name)}`;
  };
  const names = () => opened.at(-1)?.folders.map((it) => it.split('/').at(-1));
  const make = async (peer: HostPeer, session: string, more: object = {}) => {
    const chat = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat, ...more });
    await peer.subscribe(chat);
    return chat;
  };
  const play = async (peer: HostPeer, chat: string) => peer.ended(chat, await peer.prompt(chat, 'go'));

  it('are played for the window that made them with a first message', async () => {
    const peer = await open();
    const { session } = await peer.newSession();
    const other = await place.connect('c2', { env: { WHO: 'second' } });
    const initialMessage = { text: 'go', origin: { kind: 'user' } };
    const chat = await make(other, session, { initialMessage });
    await other.until(() => other.chat(chat).turns.length === 1, 'its turn has ended');
    assert.equal(opened.at(-1)?.who, 'second');
  });

  it('are not made in a session that goes, while its agents end', async () => {
    const ended = later<void>();
    let isEnding = false;
    const peer = await open(async () => {
      isEnding = true;
      await ended.promise;
    });
    const { session, chat } = await peer.newSession();
    await play(peer, chat);
    const disposed = peer.request('disposeSession', { channel: session });
    await until('the session is on its way out', () => isEnding);
    await assert.rejects(make(peer, session), { code: -32001 });
    ended.resolve();
    await disposed;
  });

  it('work in some folders of their session, each named once, and have one of these as the primary', async () => {
    const peer = await open();
    const all = ['a', 'b', 'c'].map(folder);
    const [a = '', b = '', c = ''] = all;
    const { session } = await peer.newSession({ workingDirectories: all });
    const chat = await make(peer, session, { workingDirectories: [a, b, a] });
    assert.deepEqual((await peer.subscribe<ChatState>(chat)).workingDirectories, [a, b]);
    const wrong = make(peer, session, { workingDirectories: [a, b], primaryWorkingDirectory: c });
    await assert.rejects(wrong, /must be one of the chat's folders/);
  });

  it('with folders of their own keep their agents where only the session gets another, or loses one that is not theirs', async () => {
    const peer = await open();
    const all = ['a', 'b', 'c'].map(folder);
    const [a = '', b = '', c = ''] = all;
    const { session, chat: first } = await peer.newSession({ workingDirectories: all });
    const chat = await make(peer, session, { workingDirectories: [a, b] });
    for (const it of [first, chat]) await play(peer, it);
    const before = opened.length;
    for (const action of [
      { type: 'session/workingDirectorySet', directory: folder('d') },
      { type: 'session/workingDirectoryRemoved', directory: c },
    ])
      assert.equal((await peer.act(session, action as AnyAction)).rejectionReason, undefined);
    assert.ok(!peer.envelopes.some((it) => it.channel === chat && it.action.type === 'chat/workingDirectoryRemoved'));
    await play(peer, chat);
    assert.equal(opened.length, before);
    await play(peer, first);
    assert.deepEqual([opened.length, names()], [before + 1, ['a', 'b', 'd']]);
    await peer.act(session, { type: 'session/workingDirectoryRemoved', directory: b } as AnyAction);
    await play(peer, chat);
    assert.deepEqual([opened.length, names()], [before + 2, ['a']]);
  });
});
