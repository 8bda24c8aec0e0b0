import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { channelOf } from '../../../../../sidecar/protocol/channels/index.ts';
import { parseSessionUri, ROOT, sessionChangesetUri, turnChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
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
