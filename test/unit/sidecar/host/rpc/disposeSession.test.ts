import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import { channelOf } from '../../../../../sidecar/protocol/channels/index.ts';
import { parseSessionUri, ROOT, sessionChangesetUri, turnChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a session with all that belongs to it', () => {
  let place: HostPlace;
  let workspace: Workspace;
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  /** An agent that wrote a file in a turn before, and works on; and a terminal of the session. */
  async function open() {
    workspace = openWorkspace({ 'a.txt': 'before\n' });
    const agent = scriptedProvider(async function* ({ text }, _host, signal) {
      if (text === 'write') writeFileSync(join(workspace.path, 'a.txt'), 'after\n');
      yield { kind: 'text', partId: 'a', text };
      if (text !== 'wait') return;
      await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve()));
    });
    place = await openHostPlace([agent]);
    const peer = await place.connect('c1', { env: { SHELL: '/bin/sh', PATH: process.env['PATH'] ?? '' } });
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    const turnId = await peer.prompt(chat, 'write');
    await peer.ended(chat, turnId);
    const uuid = parseSessionUri(session)!;
    const terminal = `host-terminal:/${randomUUID()}`;
    await peer.request('createTerminal', { channel: terminal, claim: { kind: 'session', session } });
    const { channel: watch } = await peer.request('createResourceWatch', { uri: workspace.uri });
    const changesets = [sessionChangesetUri(uuid), turnChangesetUri(uuid, turnId)];
    return { peer, session, chat, terminal, watch, changesets };
  }
  const types = (peer: HostPeer) => peer.envelopes.map((it) => it.action.type);

  it('has channels whose snapshots are the state of their kind, under their own name', async () => {
    verifies('host.snapshot.state', 'host.snapshot.resource');
    const { peer, session, chat, terminal, watch, changesets } = await open();
    const kinds: string[] = [];
    for (const channel of [ROOT, session, chat, terminal, watch, ...changesets]) {
      const { snapshot } = await peer.request('subscribe', { channel });
      const definition = channelOf(channel);
      assert.equal(snapshot?.resource, channel);
      assert.deepEqual(definition?.state.safeParse(snapshot.state).error, undefined, channel);
      kinds.push(definition!.kind);
    }
    assert.deepEqual(kinds, ['root', 'session', 'chat', 'terminal', 'resourceWatch', 'changeset', 'changeset']);
  });

  it('goes in this order: its turn, its terminals, its changes, the count, and last its entry', async () => {
    verifies('host.command.disposeSession');
    const { peer, session, chat, terminal, changesets } = await open();
    for (const channel of [terminal, ...changesets]) await peer.subscribe(channel);
    await peer.prompt(chat, 'wait');
    await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
    const from = peer.envelopes.length;
    await peer.request('disposeSession', { channel: session });
    await peer.until(() => peer.notified.some((it) => it.method === 'root/sessionRemoved'));
    const after = types(peer).slice(from);
    const order = [
      'chat/turnCancelled',
      'root/terminalsChanged',
      'changeset/cleared',
      'root/activeSessionsChanged',
    ].map((it) => after.indexOf(it));
    assert.ok(!order.includes(-1), after.join(', '));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.equal(after.filter((it) => it === 'changeset/cleared').length, 2);
    for (const channel of [session, chat, terminal, ...changesets])
      await assert.rejects(peer.request('subscribe', { channel }), { code: -32001 }, channel);
  });
});

describe('a chat that is disposed of', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  /** An agent that works on its first prompt until it is let go, and answers all others. */
  async function open() {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => void (letGo = resolve));
    const heard: string[] = [];
    const agent = scriptedProvider(async function* ({ text }) {
      heard.push(text);
      yield { kind: 'text', partId: 'a', text };
      if (text === 'first') await held;
      if (text === 'stuck') await new Promise<never>(() => {});
    });
    // With timers that nobody lets pass it has all the time in the world to end.
    place = await openHostPlace([{ ...agent, capabilities: { multipleChats: {} } }], { timers: new ManualTimers() });
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const chat = `host-chat:/${randomUUID()}`;
    const make = async () => {
      await peer.request('createChat', { channel: session, chat });
      await peer.subscribe(chat);
    };
    await make();
    await peer.prompt(chat, 'first');
    await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
    return { peer, session, chat, heard, letGo, make };
  }
  const say = (text: string) => ({ text, origin: { kind: 'user' as const } });
  const isCancelled = (peer: HostPeer, chat: string) => () => peer.chat(chat).turns[0]?.state === 'cancelled';

  it('begins nothing that waited in its queue', async () => {
    const { peer, chat, heard, letGo } = await open();
    const waiting: ChatAction = { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message: say('second') };
    await peer.act(chat, waiting);
    const gone = peer.request('disposeChat', { channel: chat });
    await peer.until(isCancelled(peer, chat));
    await peer.request('ping', { channel: ROOT }); // what follows the end of a turn is under way
    letGo();
    await gone;
    assert.deepEqual(heard, ['first']);
    assert.equal(peer.envelopes.filter((it) => it.action.type === 'chat/turnStarted').length, 1);
  });

  for (const what of ['disposeChat', 'disposeSession'] as const) {
    it(`takes nothing new while its agent ends after ${what}, and leaves nothing behind`, async () => {
      const { peer, session, chat, heard, letGo } = await open();
      const gone = peer.request(what, { channel: what === 'disposeChat' ? chat : session });
      await peer.until(isCancelled(peer, chat));
      await assert.rejects(peer.prompt(chat, 'second'), /this chat is being disposed of/);
      await assert.rejects(peer.request('createChat', { channel: session, chat }), /disposed of|session not found/);
      await assert.rejects(peer.request('disposeChat', { channel: chat }), /chat not found/);
      letGo();
      await gone;
      assert.deepEqual(heard, ['first']);
      assert.equal(place.host.isBusy(), false);
      await assert.rejects(peer.request('subscribe', { channel: chat }), /channel not found/);
    });
  }

  it('can be made again under its name, and plays its turns to the end', async () => {
    const { peer, chat, letGo, make } = await open();
    const gone = peer.request('disposeChat', { channel: chat });
    await peer.until(isCancelled(peer, chat));
    await peer.prompt(chat, 'stuck').catch(() => undefined); // refused: it would be played for nobody
    letGo();
    await gone;
    await make();
    const turn = await peer.ended(chat, await peer.prompt(chat, 'again'));
    assert.equal(turn.state, 'complete');
  });

  it('ends with its session, also when both are disposed of at once', async () => {
    const { peer, session, chat, letGo } = await open();
    const both = [
      peer.request('disposeChat', { channel: chat }),
      peer.request('disposeSession', { channel: session }),
      peer.request('disposeSession', { channel: session }),
    ];
    letGo();
    const outcomes = await Promise.allSettled(both);
    assert.deepEqual(
      outcomes.map((it) => (it.status === 'rejected' ? String(it.reason.message) : 'done')),
      ['done', 'done', 'session not found'],
    );
    await peer.until(() => peer.notified.some((it) => it.method === 'root/sessionRemoved'));
    await peer.request('ping', { channel: ROOT });
    assert.equal(peer.notified.filter((it) => it.method === 'root/sessionRemoved').length, 1);
  });
});
