import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const user = (text: string) => ({ text, origin: { kind: 'user' as const } });
const waiting = (kind: 'queued' | 'steering', id: string): ChatAction => ({
  type: 'chat/pendingMessageSet',
  kind,
  id,
  message: user(id),
});
const act = (peer: HostPeer, chat: string, action: ChatAction) => peer.act(chat, action);
const send = (peer: HostPeer, chat: string, action: ChatAction) => peer.dispatch(chat, action);
const started = (turnId: string, text: string, queuedMessageId?: string): ChatAction => ({
  type: 'chat/turnStarted',
  turnId,
  startedAt: '2026-01-01T00:00:00Z',
  message: user(text),
  ...(queuedMessageId !== undefined && { queuedMessageId }),
});

describe('messages that wait when a person stops the turn', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  /** Two messages are queued behind a turn that was stopped, and one was meant to steer it. */
  async function stopped(kinds: readonly (readonly ['queued' | 'steering', string])[]) {
    const { turnId, ...at } = await running(kinds);
    await act(at.peer, at.chat, { type: 'chat/turnCancelled', turnId, duration: 1 });
    return at;
  }
  /** The same while it still runs. */
  async function running(kinds: readonly (readonly ['queued' | 'steering', string])[]) {
    place = await openHostPlace([
      scriptedProvider(async function* ({ text }, _host, signal) {
        yield { kind: 'text', partId: 'a', text: `${text} is done` };
        if (text === 'first')
          await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve()));
      }),
    ]);
    const peer = await place.connect('c1');
    const { session, chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, 'first');
    await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
    for (const [kind, id] of kinds) await act(peer, chat, waiting(kind, id));
    return { peer, session, chat, turnId };
  }
  const all = [
    ['queued', 'q1'],
    ['queued', 'q2'],
    ['steering', 's'],
  ] as const;
  const said = (peer: HostPeer, chat: string) => peer.chat(chat).turns.map((it) => it.message.text);
  async function rests(peer: HostPeer, chat: string) {
    await peer.request('ping', { channel: ROOT });
    await peer.request('ping', { channel: ROOT });
    const { activeTurn, turns, queuedMessages, steeringMessage } = peer.chat(chat);
    assert.equal(activeTurn, undefined);
    assert.deepEqual(
      [turns.map((it) => it.state), queuedMessages?.map((it) => it.id), steeringMessage?.id],
      [['cancelled'], ['q1', 'q2'], 's'],
    );
  }
  async function goesOn(peer: HostPeer, chat: string, order: readonly string[]) {
    await peer.until(() => peer.chat(chat).turns.length === order.length && !peer.chat(chat).activeTurn);
    assert.deepEqual(said(peer, chat), order);
    const { queuedMessages, steeringMessage } = peer.chat(chat);
    assert.deepEqual([queuedMessages, steeringMessage], [undefined, undefined]);
  }

  it('wait on, whoever looks at their chat or session, also in the next host', async () => {
    verifies('host.turn.stop-holds');
    const { peer, session, chat } = await stopped(all);
    await rests(peer, chat);
    const other = await place.connect('c2');
    await other.subscribe(session);
    await other.subscribe(chat);
    await rests(peer, chat);
    await place.restart();
    const next = await place.connect('c3');
    await next.subscribe(session);
    await next.subscribe(chat);
    await rests(next, chat);
  });

  it('go on when one of them is sent, which goes first', async () => {
    const { peer, chat } = await stopped(all);
    await act(peer, chat, started('t2', 'q2', 'q2'));
    await goesOn(peer, chat, ['first', 'q2', 's', 'q1']);
  });

  it('go on after a new prompt, which goes first', async () => {
    const { peer, chat } = await stopped(all);
    await act(peer, chat, started('t2', 'new'));
    await goesOn(peer, chat, ['first', 'new', 's', 'q1', 'q2']);
  });

  for (const kind of ['queued', 'steering'] as const)
    it(`go on after one that is added as ${kind} meanwhile, which goes first`, async () => {
      const { peer, chat } = await stopped([
        ['queued', 'q1'],
        ['queued', 'q2'],
      ]);
      await act(peer, chat, waiting(kind, 'new'));
      await goesOn(peer, chat, ['first', 'new', 'q1', 'q2']);
    });

  it('wait on in the tick of the stop, whatever is done to them there', async () => {
    const { peer, chat } = await running(all);
    send(peer, chat, { type: 'chat/queuedMessagesReordered', order: ['q2', 'q1'] });
    send(peer, chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q2' });
    send(peer, chat, waiting('queued', 'q2'));
    await act(peer, chat, { type: 'chat/turnCancelled', turnId: peer.chat(chat).activeTurn?.id ?? '', duration: 1 });
    await rests(peer, chat);
  });

  it('go on where one is added in the tick of the stop but after it, which goes first', async () => {
    const { peer, chat } = await running(all);
    send(peer, chat, { type: 'chat/turnCancelled', turnId: peer.chat(chat).activeTurn?.id ?? '', duration: 1 });
    await act(peer, chat, waiting('queued', 'new'));
    await goesOn(peer, chat, ['first', 'new', 's', 'q1', 'q2']);
  });

  it('go on when one of them is written anew in its place, which goes first', async () => {
    const { peer, chat } = await stopped(all);
    await act(peer, chat, { ...waiting('queued', 'q2'), message: user('q2 anew') } as ChatAction);
    await goesOn(peer, chat, ['first', 'q2 anew', 's', 'q1']);
  });

  it('keep their places when one of them is written anew while a turn runs', async () => {
    const { peer, chat } = await running(all);
    await act(peer, chat, { ...waiting('queued', 'q1'), message: user('q1 anew') } as ChatAction);
    assert.deepEqual(
      peer.chat(chat).queuedMessages?.map((it) => it.message.text),
      ['q1 anew', 'q2'],
    );
  });

  it('do not go on when they are put in another order or one is removed', async () => {
    const { peer, chat } = await stopped([...all, ['queued', 'q3']]);
    await act(peer, chat, { type: 'chat/queuedMessagesReordered', order: ['q3', 'q1', 'q2'] });
    await act(peer, chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q3' });
    await rests(peer, chat);
  });
});
