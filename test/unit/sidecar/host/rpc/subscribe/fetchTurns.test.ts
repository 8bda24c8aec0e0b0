import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { TURNS_PER_PAGE } from '../../../../../../sidecar/host/state/chatViews.ts';
import type { ChatState } from '../../../../../../sidecar/protocol/channels/chat/schema.ts';
import { errorCodes } from '../../../../../../sidecar/protocol/errors.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

/** One page before the last two turns, and one turn before that. */
const COUNT = TURNS_PER_PAGE + 3;

describe('the older turns of a chat', () => {
  let place: HostPlace;
  let chat: string;
  let session: string;
  before(async () => {
    place = await openHostPlace([scriptedProvider(async function* () {})], {});
    const peer = await place.connect();
    ({ chat, session } = await peer.newSession());
    for (let n = 0; n < COUNT; n += 1) await peer.ended(chat, await peer.prompt(chat, `turn ${n}`));
  });
  after(() => place.close());

  const pages = (peer: HostPeer) =>
    peer.envelopes.flatMap(({ action }) => (action.type === 'chat/turnsLoaded' ? [action as object] : []));
  const sizes = (peer: HostPeer) => pages(peer).map((it) => (it as { turns: unknown[] }).turns.length);
  const texts = (peer: HostPeer) => peer.chat(chat).turns.map((it) => it.message.text);
  const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `turn ${from + n}`);

  it('come page by page to a client that names no cursor, each turn once, until there are no more', async () => {
    verifies('host.command.fetchTurns');
    const reader = await place.connect('reader');
    const next = () => reader.request('fetchTurns', { channel: chat });
    await reader.subscribe<ChatState>(chat, 2);
    assert.deepEqual(texts(reader), numbered(COUNT - 2, COUNT));
    await next();
    assert.deepEqual([sizes(reader), texts(reader)], [[TURNS_PER_PAGE], numbered(1, COUNT)]);
    await next();
    assert.deepEqual([sizes(reader), texts(reader)], [[TURNS_PER_PAGE, 1], numbered(0, COUNT)]);
    await next();
    assert.deepEqual(sizes(reader), [TURNS_PER_PAGE, 1], 'there is nothing more to send');

    await reader.subscribe<ChatState>(chat, 2);
    await next();
    assert.deepEqual(texts(reader), numbered(1, COUNT), 'a new snapshot begins at its own first turn');
    reader.peer.sendNotification('unsubscribe', { channel: chat });
    await next();
    assert.deepEqual(
      sizes(reader),
      [TURNS_PER_PAGE, 1, TURNS_PER_PAGE],
      'whoever does not look has no page to go on from',
    );
  });

  it('are those of a chat that is there, and of nothing else', async () => {
    const reader = await place.connect('reader');
    for (const channel of [session, 'host-chat:/none', `${chat}/none`]) {
      await reader.request('subscribe', { channel }).catch(() => undefined);
      await assert.rejects(reader.request('fetchTurns', { channel }), {
        code: errorCodes.SessionNotFound,
        message: 'chat not found',
      });
    }
    assert.deepEqual(sizes(reader), []);
  });
});
