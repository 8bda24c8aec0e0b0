import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { hasFlag, status } from '../../../../../sidecar/protocol/status.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a chat of a session with several', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  async function open() {
    const provider = scriptedProvider(async function* ({ text }) {
      yield { kind: 'text', partId: 'a', text };
    });
    place = await openHostPlace([{ ...provider, capabilities: { multipleChats: {} } }]);
    const peer = await place.connect();
    const { session, chat: first } = await peer.newSession();
    const second = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat: second });
    await peer.subscribe(second);
    return { peer, session, first, second };
  }
  const stateOf = (peer: HostPeer, session: string) => peer.states.get(session) as SessionState;
  const entryOf = (peer: HostPeer, session: string, chat: string) =>
    stateOf(peer, session).chats.find((it) => it.resource === chat)!;

  it('is called by its first prompt until a person names it, and keeps that name over a restart', async () => {
    verifies('host.chat.rename');
    const { peer, session, second } = await open();
    await peer.ended(second, await peer.prompt(second, 'Why is it slow?'));
    assert.equal(entryOf(peer, session, second).title, 'Why is it slow?');
    await peer.request('x-switchboard/renameChat', { channel: second, title: '  Speed ' });
    assert.equal(entryOf(peer, session, second).title, 'Speed');
    await place.restart();
    const again = await place.connect();
    for (const it of [session, second]) await again.subscribe(it);
    assert.equal(entryOf(again, session, second).title, 'Speed');
    assert.equal(again.chat(second).title, 'Speed');
  });

  it('takes no empty name, and no name when it is not there', async () => {
    verifies('host.chat.rename');
    const { peer, second } = await open();
    await assert.rejects(peer.request('x-switchboard/renameChat', { channel: second, title: ' ' }), /title/);
    const nowhere = chatUri(randomUUID());
    await assert.rejects(peer.request('x-switchboard/renameChat', { channel: nowhere, title: 'a' }), /chat not found/);
  });

  it('is read and put away for itself, and the default chat with its session', async () => {
    const { peer, session, first, second } = await open();
    const act = (chat: string, action: ChatAction) => peer.act(chat, action);
    const has = (chat: string, flag: number) => hasFlag(entryOf(peer, session, chat).status, flag);
    await peer.ended(second, await peer.prompt(second, 'one'));
    assert.equal(has(second, status.IsRead), false);
    await act(second, { type: 'chat/isReadChanged', isRead: true });
    assert.equal(has(second, status.IsRead), true);
    await act(second, { type: 'chat/isArchivedChanged', isArchived: true });
    assert.deepEqual([has(second, status.IsArchived), has(first, status.IsArchived)], [true, false]);
    assert.equal(hasFlag(stateOf(peer, session).status, status.IsArchived), false);
    await act(first, { type: 'chat/isArchivedChanged', isArchived: true });
    await peer.until(() => hasFlag(stateOf(peer, session).status, status.IsArchived));
  });
});
