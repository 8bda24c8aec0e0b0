import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterEach, describe, it } from 'mocha';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { chatUri, sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { refuseWrites } from '../../../../support/host/refusingDatabase.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';

const large = 'a'.repeat(200_000);
const prints: Script = async function* () {
  yield { kind: 'toolStarted', toolCallId: 'k', toolName: 'shell', displayName: 'Run command' };
  const content = [{ kind: 'text', text: large }] as const;
  yield { kind: 'toolEnded', toolCallId: 'k', success: true, pastTenseMessage: 'Ran it', content };
};

describe('what could not be saved as it was made', () => {
  let place: HostPlace | undefined;
  let at: RepositoryPlace | undefined;
  afterEach(async () => {
    await place?.close();
    await at?.close();
    [place, at] = [undefined, undefined];
  });

  it('leaves no working tree behind', async () => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n' });
    const params = { workingDirectories: [at.workspace.uri], config: { worktree: true } };
    const channel = sessionUri(randomUUID());
    const allow = refuseWrites(at.place.dataDir, 'full');
    await assert.rejects(at.peer.request('createSession', { channel, ...params }), /not saved/);
    allow();
    assert.equal(existsSync(`${at.workspace.path}.worktrees`), false);
    assert.equal(at.git('branch', '--format=%(refname:short)').trim(), 'main');
    await assert.rejects(at.peer.request('subscribe', { channel }), { code: -32001 });
  });

  it('keeps nothing of the session that it was to be a fork of', async () => {
    place = await openHostPlace([{ ...scriptedProvider(prints), capabilities: { multipleChats: { fork: true } } }]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession();
    const turn = await peer.ended(chat, await peer.prompt(chat, 'go'));
    const part = turn.responseParts[0];
    const kept =
      part?.kind === 'toolCall' && part.toolCall.status === 'completed' ? part.toolCall.content?.[0] : undefined;
    assert.ok(kept?.type === 'resource');
    const channel = sessionUri(randomUUID());
    const allow = refuseWrites(place.dataDir, 'full');
    await assert.rejects(peer.request('createSession', { channel, fork: { session, turnId: turn.id } }), /not saved/);
    allow();
    await place.restart();
    const later = await place.connect('c2');
    await later.request('disposeSession', { channel: session });
    await assert.rejects(later.request('resourceRead', { uri: kept.uri, encoding: 'utf-8' }));
  });

  it('is no chat of its session, and its first message reaches no agent', async () => {
    const heard: string[] = [];
    const provider = scriptedProvider(async function* ({ text }) {
      heard.push(text);
    });
    place = await openHostPlace([{ ...provider, capabilities: { multipleChats: {} } }]);
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const chat = chatUri(randomUUID());
    const initialMessage = { text: 'lost', origin: { kind: 'user' } } as const;
    const allow = refuseWrites(place.dataDir, 'full');
    await assert.rejects(peer.request('createChat', { channel: session, chat, initialMessage }), /not saved/);
    allow();
    await assert.rejects(peer.request('subscribe', { channel: chat }), { code: -32001 });
    assert.equal((await peer.subscribe<SessionState>(session)).chats.length, 1);
    await peer.request('createChat', { channel: session, chat, initialMessage: { ...initialMessage, text: 'kept' } });
    await peer.subscribe(chat);
    await peer.until(() => peer.chat(chat).turns.length === 1, 'its turn has ended');
    assert.deepEqual(heard, ['kept']);
  });
});
