import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { MessageAttachment } from '../../../../../sidecar/protocol/shared.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

/** Host-completion 4.4, the row `chat`. */
describe('chats that a message attaches', () => {
  const heard: TurnRequest[] = [];
  let place: HostPlace;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  let other: string;
  beforeEach(async () => {
    heard.length = 0;
    const agent = scriptedProvider(async function* (turn) {
      heard.push(turn);
      yield { kind: 'text', partId: 'a', text: `Heard ${turn.text}.` };
    });
    place = await openHostPlace([agent]);
    peer = await place.connect();
    ({ session, chat } = await peer.newSession());
    other = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat: other });
    await peer.subscribe(other);
    for (const turnId of ['o1', 'o2', 'o3']) await peer.ended(other, await peer.prompt(other, turnId, turnId));
  });
  afterEach(() => place.close());

  const messageWith = (resource: string, endTurn = 'o3') => {
    const attachment = { type: 'chat', label: 'Other', resource, endTurn };
    return {
      text: 'Go on',
      origin: { kind: 'user' },
      attachments: [attachment as MessageAttachment],
    } as const;
  };
  const start = (message: object): AnyAction & Record<string, unknown> => ({
    type: 'chat/turnStarted',
    turnId: randomUUID(),
    startedAt: new Date().toISOString(),
    message,
  });
  const said = (...turns: string[]) => turns.map((it) => `## Person\n\n${it}\n\n## Agent\n\nHeard ${it}.`).join('\n\n');

  it('are told to the agent, up to the turn that it names', async () => {
    const action = start(messageWith(other, 'o2'));
    await peer.act(chat, action);
    await peer.ended(chat, action['turnId'] as string);
    assert.deepEqual(heard.at(-1)?.attachments, [{ kind: 'text', label: 'Other', text: said('o1', 'o2') }]);
  });

  it('are refused where they are of another session, not there, or end with no finished turn', async () => {
    const { chat: foreign } = await peer.newSession();
    for (const [message, reason] of [
      [messageWith(foreign), 'message.attachments.0.resource: there is no such chat in this session'],
      [messageWith(chatUri('none')), 'message.attachments.0.resource: there is no such chat in this session'],
      [messageWith(other, 'none'), 'message.attachments.0.endTurn: there is no such finished turn in that chat'],
    ] as const) {
      assert.equal((await peer.act(chat, start(message))).rejectionReason, reason);
      const queued = { type: 'chat/pendingMessageSet', kind: 'queued', id: randomUUID(), message };
      assert.equal((await peer.act(chat, queued)).rejectionReason, reason);
      const params = { channel: session, chat: chatUri(randomUUID()), initialMessage: message };
      await assert.rejects(peer.request('createChat', params as never), {
        code: -32602,
        message: `initialM${reason.slice(1)}`,
      });
    }
    assert.equal(heard.length, 3);
  });
});
