import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { AgentProvider } from '../../../../../sidecar/agents/provider.ts';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { WindowInfo } from '../../../../../sidecar/protocol/window.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const resource = 'https://vault.test/api';

describe('messages that waited when the host ended', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  /** A host that ended while a turn ran and two messages waited, and is back. The agent is there for windows that name it. */
  async function open(more: Partial<AgentProvider> = {}, needsToken = false) {
    const agent = scriptedProvider(async function* ({ text }, _host, signal) {
      yield { kind: 'text', partId: 'a', text: `${text} is done` };
      if (text === 'first')
        await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve()));
    });
    const provider = { ...agent, ...more };
    place = await openHostPlace([provider], {
      providers: ({ env }: WindowInfo) => (env['AGENT'] === '1' ? [provider] : []),
    });
    const peer = await place.connect('c1', { env: { AGENT: '1' } });
    if (needsToken) await peer.request('authenticate', { resource, token: 'before' });
    const { session, chat } = await peer.newSession();
    await peer.prompt(chat, 'first');
    await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
    for (const [id, kind] of [
      ['q1', 'queued'],
      ['q2', 'queued'],
      ['s', 'steering'],
    ] as const) {
      const message = { text: id, origin: { kind: 'user' as const } };
      const waiting: ChatAction = { type: 'chat/pendingMessageSet', kind, id, message };
      await peer.act(chat, waiting);
    }
    await place.restart();
    return { session, chat };
  }
  const connect = (clientId: string, window: Partial<WindowInfo> = {}) =>
    place.connect(clientId, { env: { AGENT: '1' }, ...window });
  const ended = (state: ChatState) => state.turns.map((it) => [it.message.text, it.state]);
  const all = [
    ['first', 'error'],
    ['s', 'complete'],
    ['q1', 'complete'],
    ['q2', 'complete'],
  ];
  const areDone = (peer: HostPeer, chat: string) => () =>
    peer.chat(chat).turns.length === all.length && peer.chat(chat).activeTurn === undefined;

  it('become turns with ids of their own where a client gave one of these to a turn meanwhile', async () => {
    verifies('host.turn.id-once');
    const { chat } = await open();
    const peer = await connect('c2');
    const message = { text: 'mine', origin: { kind: 'user' as const } };
    // Nobody looks at the chat yet, so that nothing of what waits began.
    peer.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: 'from-q1',
      startedAt: '2026-01-01T00:00:00Z',
      message,
    } as ChatAction);
    await peer.until(() => peer.envelopes.some((it) => it.channel === chat && it.action.type === 'chat/turnStarted'));
    await peer.subscribe(chat);
    await peer.until(() => peer.chat(chat).turns.length === 5 && peer.chat(chat).activeTurn === undefined);
    const { turns } = peer.chat(chat);
    assert.deepEqual(turns.map((it) => it.message.text).toSorted(), ['first', 'mine', 'q1', 'q2', 's']);
    assert.equal(new Set(turns.map((it) => it.id)).size, 5);
    assert.equal(turns.find((it) => it.id === 'from-q1')?.message.text, 'mine');
    assert.deepEqual((await (await connect('c3')).subscribe<ChatState>(chat)).turns, turns);
  });

  it('go on one after the other, the steering message first, as soon as a window looks at their chat', async () => {
    const { chat } = await open();
    const peer = await connect('c2');
    await peer.subscribe(chat);
    await peer.until(areDone(peer, chat));
    assert.deepEqual(ended(peer.chat(chat)), all);
    assert.equal(peer.chat(chat).queuedMessages, undefined);
    assert.equal(peer.chat(chat).steeringMessage, undefined);
  });

  it('go on when a window looks at their session, also with its first words', async () => {
    const { session, chat } = await open();
    const peer = place.connectSilently();
    await peer.initialize('c2', { ...testWindow, env: { AGENT: '1' } }, [ROOT, session]);
    await peer.until(() => peer.session(session).chats.some((it) => it.resource === chat));
    await peer.subscribe(chat);
    await peer.until(areDone(peer, chat));
    assert.deepEqual(ended(peer.chat(chat)), all);
  });

  for (const [who, window] of [
    ['a window that does not trust its folder', { trusted: false }],
    ['a window that has no such agent', { env: {} }],
  ] as const) {
    it(`wait on while only ${who} looks`, async () => {
      const { chat } = await open();
      const peer = await connect('c2', window);
      const seen = await peer.subscribe<ChatState>(chat);
      await peer.request('ping', { channel: ROOT });
      assert.deepEqual([ended(seen), seen.queuedMessages?.length], [all.slice(0, 1), 2]);
      assert.deepEqual(peer.chat(chat), seen);
      const other = await connect('c3');
      await other.subscribe(chat);
      await peer.until(areDone(peer, chat));
    });
  }

  it('wait on for the token that their agent needs, and go on when it is pushed', async () => {
    const { chat } = await open({ protectedResources: [{ resource }] }, true);
    const peer = await connect('c2');
    const seen = await peer.subscribe<ChatState>(chat);
    await peer.request('ping', { channel: ROOT });
    assert.deepEqual(peer.chat(chat), seen);
    assert.equal(seen.queuedMessages?.length, 2);
    await peer.request('authenticate', { resource, token: 'after' });
    await peer.until(areDone(peer, chat));
    assert.deepEqual(ended(peer.chat(chat)), all);
  });

  it('wait on in a session that was put away, until it is taken out again and looked at', async () => {
    const { session, chat } = await open();
    const untrusted = await connect('c2', { trusted: false });
    await untrusted.act(session, { type: 'session/isArchivedChanged', isArchived: true } as never);
    const peer = await connect('c3');
    const seen = await peer.subscribe<ChatState>(chat);
    await peer.request('ping', { channel: ROOT });
    assert.deepEqual(peer.chat(chat), seen);
    await peer.act(session, { type: 'session/isArchivedChanged', isArchived: false } as never);
    await peer.subscribe(chat);
    await peer.until(areDone(peer, chat));
  });
});
