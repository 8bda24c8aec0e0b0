import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { MessageAttachment } from '../../../../../sidecar/protocol/shared.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('chats that a message attaches', () => {
  const heard: TurnRequest[] = [];
  let place: HostPlace;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  let other: string;
  let release: () => void;
  beforeEach(async () => {
    heard.length = 0;
    const agent = scriptedProvider(async function* (turn, _host, signal) {
      heard.push(turn);
      if (turn.text === 'wait') {
        yield { kind: 'text', partId: 'a', text: 'Waits.' };
        await new Promise<void>((resolve) => {
          release = resolve;
          signal.addEventListener('abort', () => resolve());
        });
        return;
      }
      yield { kind: 'text', partId: 'a', text: `Heard ${turn.text}.` };
    });
    place = await openHostPlace([{ ...agent, capabilities: { multipleChats: { fork: true, sideChat: true } } }]);
    peer = await place.connect();
    ({ session, chat } = await peer.newSession());
    other = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat: other });
    await peer.subscribe(other);
    for (const turnId of ['o1', 'o2', 'o3']) await peer.ended(other, await peer.prompt(other, turnId, turnId));
  });
  afterEach(() => place.close());

  const messageWith = (resource: string, endTurn: string | undefined = 'o3') => wholeOrTo(resource, { endTurn });
  const wholeOrTo = (resource: string, to: { endTurn?: string }) => {
    const attachment = { type: 'chat', label: 'Other', resource, ...to };
    return {
      text: 'Go on',
      origin: { kind: 'user' },
      attachments: [attachment as MessageAttachment],
    } as const;
  };
  /** The messages for which rows are kept, by the ids of their turns. */
  const kept = () => {
    const sql = new DatabaseSync(join(place.dataDir, 'host.db'), { readOnly: true });
    const rows = sql.prepare('SELECT DISTINCT message FROM attached_chat ORDER BY message').all();
    sql.close();
    return rows.map((it) => String(it['message']));
  };
  const start = (message: object): AnyAction & Record<string, unknown> => ({
    type: 'chat/turnStarted',
    turnId: randomUUID(),
    startedAt: new Date().toISOString(),
    message,
  });
  const actOn = (at: string, action: ChatAction) => peer.act(at, action);
  const said = (...turns: string[]) => turns.map((it) => `## Person\n\n${it}\n\n## Agent\n\nHeard ${it}.`).join('\n\n');

  it('are told to the agent, up to the turn that it names', async () => {
    const action = start(messageWith(other, 'o2'));
    await peer.act(chat, action);
    await peer.ended(chat, action['turnId'] as string);
    assert.deepEqual(heard.at(-1)?.attachments, [{ kind: 'text', label: 'Other', text: said('o1', 'o2') }]);
  });

  describe('are kept with the message when it is accepted,', () => {
    const queue = (id: string, message: object): AnyAction & Record<string, unknown> => ({
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id,
      message,
    });
    const attached = () => heard.at(-1)?.attachments;
    const whole = [{ kind: 'text', label: 'Other', text: said('o1', 'o2', 'o3') }];
    /** A turn that runs until the test lets it go. */
    const block = async () => {
      const turnId = await peer.prompt(chat, 'wait');
      await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
      return async () => {
        release();
        await peer.ended(chat, turnId);
      };
    };

    it('so that a source that is cut off while it waits changes nothing', async () => {
      verifies('host.message.attached-chats');
      const letGo = await block();
      await peer.act(chat, queue('q', messageWith(other)));
      await peer.act(other, { type: 'chat/truncated' });
      await letGo();
      await peer.ended(chat, 'from-q');
      assert.deepEqual(attached(), whole);
    });

    it('so that a source that is deleted while it waits changes nothing', async () => {
      verifies('host.message.attached-chats');
      const letGo = await block();
      await peer.act(chat, queue('q', messageWith(other)));
      await peer.request('disposeChat', { channel: other });
      await letGo();
      await peer.ended(chat, 'from-q');
      assert.deepEqual(attached(), whole);
    });

    it('as they were in the moment of the dispatch, not at the end of its tick', async () => {
      verifies('host.message.attached-chats');
      const action = start(messageWith(other));
      peer.dispatch(chat, action);
      peer.dispatch(other, { type: 'chat/truncated' });
      await peer.ended(chat, action['turnId'] as string);
      assert.deepEqual(attached(), whole);
      assert.deepEqual(peer.chat(other).turns, []);
    });

    it('as they were when the chat was asked for, in the message that one begins with', async () => {
      verifies('host.message.attached-chats');
      const first = await peer.prompt(chat, 'first');
      await peer.ended(chat, first);
      const made = chatUri(randomUUID());
      const params = { channel: session, chat: made, initialMessage: messageWith(other) };
      const source = { kind: 'sideChat', chat, turnId: first };
      const creating = peer.request('createChat', { ...params, source } as never);
      peer.dispatch(other, { type: 'chat/truncated' });
      await creating;
      await peer.subscribe(made);
      await peer.until(() => peer.chat(made).turns.length === 1);
      assert.deepEqual(attached()?.at(-1), whole[0]);
    });

    it('as they were when the message was set last', async () => {
      const letGo = await block();
      await peer.act(chat, queue('q', messageWith(other)));
      await peer.act(chat, queue('q', messageWith(other, 'o1')));
      await letGo();
      await peer.ended(chat, 'from-q');
      assert.deepEqual(attached(), [{ kind: 'text', label: 'Other', text: said('o1') }]);
    });

    it('and outlive the host', async () => {
      verifies('host.message.attached-chats');
      await block();
      await peer.act(chat, queue('q', messageWith(other)));
      await peer.act(other, { type: 'chat/truncated' });
      await place.restart();
      peer = await place.connect();
      await peer.subscribe(chat);
      await peer.ended(chat, 'from-q');
      assert.deepEqual(attached(), whole);
    });

    it('also with one that is to steer and that no agent takes, which is the next turn', async () => {
      const letGo = await block();
      await actOn(chat, { ...queue('s', messageWith(other)), kind: 'steering' } as unknown as ChatAction);
      await peer.act(other, { type: 'chat/truncated' });
      await peer.prompt(other, 'settles');
      assert.deepEqual(kept(), ['from-s']);
      await letGo();
      await peer.ended(chat, 'from-s');
      assert.deepEqual(attached(), whole);
      await peer.prompt(other, 'settles again');
      assert.deepEqual(kept(), []);
    });

    it('and are kept while a person has stopped the chat, and those of the stopped turn forgotten', async () => {
      const action = start({ ...messageWith(other), text: 'wait' });
      await peer.act(chat, action);
      await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
      await peer.act(chat, queue('q', messageWith(other)));
      assert.deepEqual(kept(), [String(action['turnId']), 'from-q'].sort());
      await peer.act(chat, { type: 'chat/turnCancelled', turnId: action['turnId'], duration: 1 } as ChatAction);
      await peer.prompt(other, 'settles');
      assert.deepEqual(kept(), ['from-q']);
    });

    it('and are forgotten with a message that is taken back while nothing runs', async () => {
      const turnId = await peer.prompt(chat, 'wait');
      await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
      await peer.act(chat, queue('q', messageWith(other)));
      await actOn(chat, { type: 'chat/turnCancelled', turnId, duration: 1 });
      assert.deepEqual(kept(), ['from-q']);
      await actOn(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q' });
      await peer.prompt(other, 'settles');
      assert.deepEqual(kept(), []);
    });

    it('and are forgotten with the turn, or with a message that is taken back', async () => {
      const letGo = await block();
      await peer.act(chat, queue('q1', messageWith(other)));
      await peer.act(chat, queue('q2', messageWith(other)));
      assert.deepEqual(kept(), ['from-q1', 'from-q2']);
      const back: ChatAction = { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q1' };
      await peer.act(chat, back);
      await letGo();
      await peer.ended(chat, 'from-q2');
      await peer.prompt(other, 'settles');
      assert.deepEqual(kept(), []);
    });
  });

  it('may belong to another session, and go up to the last finished turn if they name none', async () => {
    verifies('host.message.attached-chats');
    const { chat: foreign } = await peer.newSession();
    await peer.ended(foreign, await peer.prompt(foreign, 'far', 'f1'));
    const asked = start(wholeOrTo(foreign, {}));
    await peer.act(chat, asked);
    await peer.ended(chat, String(asked['turnId']));
    assert.deepEqual(heard.at(-1)?.attachments, [{ kind: 'text', label: 'Other', text: said('far') }]);
  });

  it('are refused if they do not exist, have no finished turn, or end with an unfinished one', async () => {
    const { chat: foreign } = await peer.newSession();
    for (const [message, reason] of [
      [wholeOrTo(foreign, {}), 'message.attachments.0.resource: the chat has no finished turn'],
      [messageWith(foreign), 'message.attachments.0.endTurn: finished turn not found in that chat'],
      [messageWith(chatUri('none')), 'message.attachments.0.resource: chat not found'],
      [messageWith(other, 'none'), 'message.attachments.0.endTurn: finished turn not found in that chat'],
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
    const { attachments } = messageWith(other);
    const second = { ...messageWith(other), attachments: [...attachments, ...messageWith(foreign).attachments] };
    const reason = 'message.attachments.1.endTurn: finished turn not found in that chat';
    assert.equal((await peer.act(chat, start(second))).rejectionReason, reason);
    assert.equal(heard.length, 3);
  });
});
