import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { annotationsUri } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a session without any turn', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  it('names its changesets, annotations and tools from its creation on, and all that it names can be subscribed to', async () => {
    verifies('host.session.at-creation');
    place = await openHostPlace([scriptedProvider(async function* () {})]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] });
    const { changesets = [], annotations, serverTools } = peer.session(session);
    const kinds = (state: SessionState) => (state.changesets ?? []).map((it) => it.changeKind);
    assert.deepEqual(kinds(peer.session(session)), ['turn', 'uncommitted', 'compare-turns']);
    const none = { resource: annotationsUri(session), annotationCount: 0, entryCount: 0 };
    assert.deepEqual([annotations, serverTools], [none, []]);
    const plain = changesets.filter((it) => !it.uriTemplate.includes('{')).map((it) => it.uriTemplate);
    assert.equal(plain.length, 1);
    for (const it of [...plain, annotations!.resource]) assert.ok(await peer.subscribe(it), it);

    await peer.ended(chat, await peer.prompt(chat, 'go'));
    const begun = peer.session(session).changesets;
    assert.deepEqual(kinds(peer.session(session)), ['session', 'turn', 'uncommitted', 'compare-turns']);
    assert.ok(await peer.subscribe(begun![0]!.uriTemplate), 'its own changeset begins with its first turn');
    await place.restart();
    const later = await place.connect();
    const found = await later.subscribe<SessionState>(session);
    assert.deepEqual([found.changesets, found.annotations, found.serverTools], [begun, none, []]);
  });
});
