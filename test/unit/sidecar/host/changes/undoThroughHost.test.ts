import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import { sessionChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('what an agent did, through the host', () => {
  let place: HostPlace | undefined;
  let workspace: Workspace;
  afterEach(async () => {
    await place?.close();
    workspace.remove();
    place = undefined;
  });

  async function play(files: Readonly<Record<string, string>>, script: (workspace: Workspace) => Script) {
    workspace = openWorkspace(files);
    place = await openHostPlace([scriptedProvider(script(workspace))]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    const channel = sessionChangesetUri(session.split('/').at(-1)!);
    return {
      peer,
      session,
      chat,
      changeset: () => peer.subscribe<ChangesetState>(channel),
      invoke: (operationId: string) => peer.request('invokeChangesetOperation', { channel, operationId }),
    };
  }
  const answer = async (peer: HostPeer, session: string, chat: string, turnId: string, approved: boolean) => {
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length > 0);
    const common = { type: 'chat/toolCallConfirmed', turnId, toolCallId: 'k1' };
    const more = approved
      ? { approved, confirmed: 'user-action', selectedOptionId: 'allow-once' }
      : { approved, reason: 'denied' };
    await peer.act(chat, { ...common, ...more } as AnyAction);
  };

  for (const name of ['node_modules/lib/index.js', 'node_modules/lib/new.js']) {
    const files = { 'a.txt': 'a\n', 'node_modules/lib/index.js': 'before\n' };
    const editor = (it: Workspace): Script =>
      async function* (_turn, host) {
        const facts = { kind: 'edit', invocationMessage: `Edit ${name}`, paths: [join(it.path, name)] } as const;
        yield { kind: 'toolStarted', toolCallId: 'k1', toolName: 'edit', displayName: 'Edit file' };
        const { allow } = await host.confirm({ ...facts, toolCallId: 'k1' });
        if (allow) it.write({ [name]: 'agent\n' });
        yield { kind: 'toolEnded', toolCallId: 'k1', success: true, pastTenseMessage: 'Edited', content: [] };
      };
    const content = () =>
      existsSync(join(workspace.path, name)) ? readFileSync(join(workspace.path, name), 'utf8') : '';

    it(`has an edit of ${name} that a person allowed, where no baseline looks: listed, undone and redone`, async () => {
      verifies('host.changes.kept-before-allowed');
      const { peer, session, chat, changeset, invoke } = await play(files, editor);
      const before = name in files ? 'before\n' : '';
      const turnId = await peer.prompt(chat, 'edit');
      await answer(peer, session, chat, turnId, true);
      await peer.ended(chat, turnId);
      const { files: listed } = await changeset();
      assert.deepEqual(
        listed.map((it) => it.id),
        [workspace.uriOf(name)],
      );
      await invoke('undo');
      assert.equal(content(), before);
      await invoke('redo');
      assert.equal(content(), 'agent\n');
    });

    it(`has no edit of ${name} that a person denied`, async () => {
      const { peer, session, chat, changeset } = await play(files, editor);
      const turnId = await peer.prompt(chat, 'edit');
      await answer(peer, session, chat, turnId, false);
      await peer.ended(chat, turnId);
      assert.deepEqual((await changeset()).files, []);
    });
  }

  it('is undone by those alone who look at the changeset or its session', async () => {
    verifies('host.client.operate-subscribed');
    const { peer, session, chat, changeset, invoke } = await play({ 'a.txt': 'before\n' }, (it) => {
      return async function* () {
        it.write({ 'a.txt': 'agent\n' });
        yield* [];
      };
    });
    await peer.ended(chat, await peer.prompt(chat, 'edit'));
    await changeset();
    const text = () => readFileSync(join(workspace.path, 'a.txt'), 'utf8');
    const channel = sessionChangesetUri(session.split('/').at(-1)!);
    const other = await place!.connect('c2');
    const undo = (by: HostPeer) => by.request('invokeChangesetOperation', { channel, operationId: 'undo' });
    await assert.rejects(undo(other), { code: errorCodes.InvalidParams, message: /subscribe to the changeset/ });
    assert.equal(text(), 'agent\n');
    await other.subscribe(session);
    await undo(other);
    assert.equal(text(), 'before\n');
    await invoke('redo');
    assert.equal(text(), 'agent\n');
  });

  it("has the deletion of the session's own folder, which an undo makes again", async () => {
    verifies('host.changes.deleted-folder');
    const files = { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' };
    const { peer, chat, changeset, invoke } = await play(
      files,
      (it) =>
        async function* () {
          rmSync(it.path, { recursive: true });
          yield { kind: 'text', partId: 'a', text: 'gone' };
        },
    );
    await peer.ended(chat, await peer.prompt(chat, 'delete'));
    assert.equal((await changeset()).files.length, 2);
    await invoke('undo');
    for (const [name, content] of Object.entries(files))
      assert.equal(readFileSync(join(workspace.path, name), 'utf8'), content);
  });
});
