import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { attachmentBytes } from '../../../../../sidecar/protocol/limits.ts';
import type { ContentRef } from '../../../../../sidecar/protocol/shared.ts';
import { contentUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('1c-12 contents that a message attaches', () => {
  const heard: TurnRequest[] = [];
  let place: HostPlace;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  beforeEach(async () => {
    heard.length = 0;
    place = await openHostPlace([
      scriptedProvider(async function* (turn) {
        heard.push(turn);
        yield { kind: 'text', partId: 'a', text: 'Heard.' };
      }),
    ]);
    peer = await place.connect();
    ({ session, chat } = await peer.newSession());
  });
  afterEach(() => place.close());

  const keep = (channel: string, name: string, text: string) =>
    peer.request('x-switchboard/keepContent', { channel, name, data: base64(text) });
  const messageWith = (ref: Pick<ContentRef, 'uri'>, contentType?: string) => ({
    text: 'Look',
    origin: { kind: 'user' as const },
    attachments: [
      { type: 'resource' as const, label: 'it', ...ref, ...(contentType !== undefined && { contentType }) },
    ],
  });
  const start = (message: object): AnyAction & Record<string, unknown> & { turnId: string } => ({
    type: 'chat/turnStarted',
    turnId: randomUUID(),
    startedAt: new Date().toISOString(),
    message,
  });
  const drafted = (draft: object): AnyAction & Record<string, unknown> => ({ type: 'chat/draftChanged', draft });
  const play = async (at: string, message: object) => {
    const action = start(message);
    await peer.act(at, action);
    await peer.ended(at, action.turnId);
    return heard.at(-1)?.attachments;
  };

  for (const { what, contentType, becomes } of [
    {
      what: 'an image as its bytes',
      contentType: 'image/png',
      becomes: { kind: 'data', base64: base64('it'), contentType: 'image/png' },
    },
    { what: 'text as text', contentType: 'text/x-diff', becomes: { kind: 'text', text: 'it' } },
    {
      what: 'bytes of which nobody says what they are',
      contentType: undefined,
      becomes: { kind: 'data', base64: base64('it'), contentType: 'application/octet-stream' },
    },
  ])
    it(`reach the agent: ${what}`, async () => {
      verifies('host.attachments.kept');
      const ref = await keep(chat, 'it', 'it');
      assert.deepEqual(await play(chat, messageWith(ref, contentType)), [{ label: 'it', ...becomes }]);
    });

  it('are in the state of the chat by their address only', async () => {
    verifies('host.attachments.kept');
    const ref = await keep(session, 'long.txt', 'x'.repeat(100_000));
    await play(chat, messageWith(ref, 'text/plain'));
    assert.equal(peer.chat(chat).turns.at(-1)?.message.attachments?.[0]?.type, 'resource');
    assert.ok(JSON.stringify(peer.chat(chat)).length < 5_000);
  });

  it('stay for a message of another session when the one that they were kept for is deleted', async () => {
    verifies('host.attachments.kept');
    const first = await peer.newSession();
    const ref = await keep(first.chat, 'it', 'it');
    await peer.act(chat, drafted(messageWith(ref, 'text/plain')));
    await peer.request('disposeSession', { channel: first.session });
    assert.deepEqual(await play(chat, messageWith(ref, 'text/plain')), [{ kind: 'text', label: 'it', text: 'it' }]);
  });

  it('are refused where the host keeps nothing of that address, in messages and in drafts', async () => {
    verifies('host.attachments.unknown');
    const message = messageWith({ uri: contentUri('0'.repeat(64), 'it') });
    assert.equal(
      (await peer.act(chat, start(message))).rejectionReason,
      'message.attachments.0.uri: content not found',
    );
    assert.equal(
      (await peer.act(chat, drafted(message))).rejectionReason,
      'draft.attachments.0.uri: content not found',
    );
  });

  it('are not kept for a session that does not exist, and not when they are too large', async () => {
    verifies('host.attachments.unknown');
    await assert.rejects(keep('host-session:/nobody', 'it', 'it'), /session not found/);
    const data = Buffer.alloc(attachmentBytes + 3).toString('base64');
    await assert.rejects(peer.request('x-switchboard/keepContent', { channel: chat, name: 'it', data }), /data/);
  });
});
