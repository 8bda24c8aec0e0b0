import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { chatUri, ROOT, sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const code = (expected: number, data?: object) => (thrown: unknown) => {
  const error = thrown as { code: number; data: unknown };
  assert.equal(error.code, expected, String(thrown));
  if (data) assert.deepEqual(error.data, data);
  return true;
};
const echoing = scriptedProvider(async function* (turn) {
  yield { kind: 'text', partId: 'a', text: turn.text };
});

const titleChanged = { type: 'session/titleChanged', title: 'Named at once' };

describe('commands of the host', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const open = async () => {
    place = await openHostPlace([echoing]);
    return place.connect();
  };

  it('answer nothing but ping and the handshake before the handshake', async () => {
    verifies('host.command.ping', 'host.error.-32601');
    place = await openHostPlace([echoing]);
    const peer = place.connectSilently();
    assert.equal(await peer.request('ping', {}), null);
    await assert.rejects(peer.request('root/listSessions', {}), code(-32601));
    await peer.initialize('c1', testWindow);
    assert.deepEqual(await peer.request('root/listSessions', {}), { items: [] });
    await assert.rejects(peer.initialize('c1', testWindow), code(-32602));
  });

  it('refuse a version that does not fit with those that do, and close', async () => {
    verifies('host.version.unserved', 'host.error.-32005', 'host.error.-32005-data');
    place = await openHostPlace([echoing]);
    const peer = place.connectSilently();
    const closed = new Promise((resolve) => void peer.peer.onClose(resolve));
    await assert.rejects(
      peer.request('initialize', { protocolVersions: ['0.9.0', '1.0.0'], clientId: 'c1' }),
      code(-32005, { supportedVersions: ['^0.7.0'] }),
    );
    await closed;
  });

  it('serve the handshake of a client that knows the protocol only, and unknown subscriptions without a snapshot', async () => {
    verifies('host.command.initialize');
    place = await openHostPlace([echoing]);
    const peer = place.connectSilently();
    const result = await peer.request('initialize', {
      protocolVersions: ['0.7.9'],
      clientId: 'c1',
      initialSubscriptions: [ROOT, 'host-session:/none', 'foo:bar'],
    });
    assert.equal(result.protocolVersion, '0.7.9');
    assert.deepEqual(
      result.snapshots.map((it) => it.resource),
      [ROOT],
    );
  });

  it('let a subscription wait for the session that the same connection is creating', async () => {
    verifies('host.command.subscribe');
    const peer = await open();
    const session = sessionUri(randomUUID());
    const [made, { snapshot }] = await Promise.all([
      peer.request('createSession', { channel: session }),
      peer.request('subscribe', { channel: session }),
    ]);
    assert.equal(made, null);
    assert.equal(snapshot?.resource, session);
  });

  it('take what is dispatched to a session together with the request that makes it', async () => {
    verifies('host.command.createSession');
    const peer = await open();
    const session = sessionUri(randomUUID());
    const making = peer.request('createSession', { channel: session });
    const { rejectionReason } = await peer.act(session, titleChanged);
    assert.equal(rejectionReason, undefined);
    await making;
    assert.equal((await peer.subscribe<SessionState>(session)).title, titleChanged.title);
  });

  it('answer a subscription before what the same client sends right after it', async () => {
    verifies('host.command.subscribe');
    const peer = await open();
    const { chat } = await peer.newSession();
    const late = await place.connect('c2');
    const [{ snapshot }] = await Promise.all([
      late.request('subscribe', { channel: chat }),
      late.prompt(chat, 'hello'),
    ]);
    assert.ok(snapshot);
    assert.equal((snapshot.state as ChatState).activeTurn, undefined);
    const started = late.envelopes.find((it) => it.action.type === 'chat/turnStarted');
    assert.equal(snapshot.fromSeq < started!.serverSeq, true);
  });

  for (const { says, act, expected } of [
    { says: 'a session that is there', expected: -32003, act: 'again' },
    { says: 'an agent that is not there', expected: -32002, act: 'provider' },
    { says: 'a URI that is no session', expected: -32602, act: 'uri' },
    { says: 'a client id that is not its own', expected: -32602, act: 'client' },
  ] as const) {
    it(`refuse to create ${says}`, async () => {
      verifies('host.error.-32002', 'host.error.-32003', 'host.error.-32602');
      const peer = await open();
      const { session } = await peer.newSession();
      const channel = act === 'again' ? session : act === 'uri' ? chatUri('x') : sessionUri(randomUUID());
      const more =
        act === 'provider'
          ? { provider: 'none' }
          : act === 'client'
            ? { activeClient: { clientId: 'c9', tools: [] } }
            : {};
      await assert.rejects(peer.request('createSession', { channel, ...more }), code(expected));
    });
  }

  it('answer unknown channels and cursors with their numbers', async () => {
    verifies('host.error.-32001', 'host.error.-32006', 'host.error.-32602');
    const peer = await open();
    const { chat } = await peer.newSession();
    await assert.rejects(peer.request('subscribe', { channel: sessionUri('none') }), code(-32001));
    await assert.rejects(peer.request('disposeSession', { channel: sessionUri('none') }), code(-32001));
    await assert.rejects(peer.request('root/listSessions', { cursor: 'mine' }), code(-32602));
    await assert.rejects(peer.request('fetchTurns', { channel: chat, cursor: 'mine' }), code(-32602));
    await assert.rejects(peer.request('authenticate', { resource: 'https://x.test', token: 't' }), code(-32602));
    await assert.rejects(peer.request('resourceRead', { uri: `host-content:/${'0'.repeat(64)}/a` }), code(-32006));
  });

  it('read files of the session, and say what would be needed for others', async () => {
    verifies('host.command.resourceRead', 'host.error.-32008', 'host.error.-32009', 'host.error.-32009-data');
    const peer = await open();
    const folder = join(place.dataDir, '..', `${basename(place.dataDir)}-work`);
    mkdirSync(folder);
    try {
      await readAround(peer, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  async function readAround(peer: HostPeer, folder: string): Promise<void> {
    writeFileSync(join(folder, 'a.txt'), 'héllo');
    await peer.newSession({ workingDirectories: [`file://${folder}`] });
    const chat = await peer.newSession({ workingDirectories: [`file://${folder}`] });
    await peer.ended(chat.chat, await peer.prompt(chat.chat, 'x'));
    const read = (uri: string) => peer.request('resourceRead', { uri, encoding: 'utf-8' });
    assert.deepEqual(await read(`file://${folder}/a.txt`), { data: 'héllo', encoding: 'utf-8' });
    await assert.rejects(
      read('file:///etc/passwd'),
      code(-32009, { request: { channel: ROOT, uri: 'file:///etc/passwd', read: true } }),
    );
    await assert.rejects(read(`file://${folder}/../../etc/passwd`), code(-32009));
    await assert.rejects(read(`file://${folder}/none.txt`), code(-32008));
  }

  it('list sessions from their first turn on, newest first, in pages', async () => {
    verifies(
      'host.command.root/listSessions',
      'host.service.catalogue',
      'host.event.session-added',
      'host.root.active-sessions',
    );
    const peer = await open();
    for (const text of ['first', 'second', 'third']) {
      const { chat } = await peer.newSession();
      assert.ok(
        !(await peer.request('root/listSessions', {})).items.some((it) => it.title === text || it.title === ''),
      );
      await peer.ended(chat, await peer.prompt(chat, text));
    }
    await peer.until(() => peer.notified.filter((it) => it.method === 'root/sessionAdded').length === 3);
    const one = await peer.request('listSessions', { limit: 2 });
    assert.deepEqual(
      one.items.map((it) => it.title),
      ['third', 'second'],
    );
    const two = await peer.request('root/listSessions', { limit: 2, cursor: one.nextCursor! });
    assert.deepEqual(
      two.items.map((it) => it.title),
      ['first'],
    );
    assert.equal(two.nextCursor, undefined);
    await peer.until(() => (peer.states.get(ROOT) as { activeSessions: number }).activeSessions === 3);
  });

  it('page older turns as an action before the answer, to the one who asked', async () => {
    verifies('host.command.fetchTurns');
    const peer = await open();
    const { chat } = await peer.newSession();
    for (let n = 0; n < 35; n += 1) await peer.ended(chat, await peer.prompt(chat, `turn ${n}`));
    const second = await place.connect('c2');
    const state = await second.subscribe<ChatState>(chat, 5);
    assert.deepEqual(
      state.turns.map((it) => it.message.text),
      ['turn 30', 'turn 31', 'turn 32', 'turn 33', 'turn 34'],
    );
    await second.request('fetchTurns', { channel: chat });
    assert.equal(second.chat(chat).turns.length, 35);
    assert.equal(second.chat(chat).turnsNextCursor, undefined);
    assert.deepEqual(second.chat(chat), peer.chat(chat));
    assert.ok(!peer.envelopes.some((it) => it.action.type === 'chat/turnsLoaded'));
    const third = await place.connect('c3');
    assert.deepEqual(await third.subscribe(chat), peer.chat(chat));
    await peer.act(chat, { type: 'chat/truncated', turnId: peer.chat(chat).turns[2]!.id } as AnyAction);
    await place.restart();
    const later = await place.connect('c4');
    assert.deepEqual(
      (await later.subscribe<ChatState>(chat)).turns.map((it) => it.message.text),
      ['turn 0', 'turn 1', 'turn 2'],
    );
  });

  it('make and dispose of chats and sessions', async () => {
    verifies('host.command.disposeChat', 'host.command.disposeSession');
    const peer = await open();
    const { session, chat } = await peer.newSession();
    const other = chatUri(randomUUID());
    await peer.request('createChat', {
      channel: session,
      chat: other,
      initialMessage: { text: 'hi', origin: { kind: 'user' } },
    });
    assert.deepEqual(
      peer.session(session).chats.map((it) => it.resource),
      [chat, other],
    );
    assert.equal(await peer.request('createChat', { channel: session, chat }), null);
    await assert.rejects(peer.request('disposeChat', { channel: chat }), code(-32602));
    await peer.request('disposeChat', { channel: other });
    assert.deepEqual(
      peer.session(session).chats.map((it) => it.resource),
      [chat],
    );
    await peer.request('disposeSession', { channel: session });
    await peer.until(() => peer.notified.some((it) => it.method === 'root/sessionRemoved'));
    await assert.rejects(peer.request('subscribe', { channel: session }), code(-32001));
    await assert.rejects(peer.request('subscribe', { channel: chat }), code(-32001));
  });
});
