import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const agent = scriptedProvider(async function* (turn) {
  yield { kind: 'text', partId: 'a', text: turn.text };
});

describe('the project of a session', () => {
  let place: HostPlace;
  let workspace: Workspace;
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace.path, stdio: 'ignore' });

  async function open(name: string) {
    place = await openHostPlace([agent]);
    const peer = await place.connect();
    const made = await peer.newSession({ workingDirectories: [workspace.uriOf(name)] });
    return { peer, ...made };
  }
  const project = () => ({ uri: workspace.uri, displayName: basename(workspace.path) });

  it('is the repository around its folder, in its state and in the list, also later', async () => {
    verifies('host.session.project', 'host.session.project-info');
    workspace = openWorkspace({ 'packages/one/a.txt': 'a' });
    git('init', '--quiet');
    const { peer, session, chat } = await open('packages/one');
    assert.deepEqual(peer.session(session).project, project());
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    const { items } = await peer.request('root/listSessions', {});
    assert.deepEqual(items[0]?.project, project());
    await place.restart();
    const later = await place.connect('c2');
    assert.deepEqual((await later.subscribe<SessionState>(session)).project, project());
  });

  it('is the folder itself where there is no repository', async () => {
    workspace = openWorkspace({ 'plain/a.txt': 'a' });
    const { peer, session } = await open('plain');
    assert.deepEqual(peer.session(session).project, { uri: workspace.uriOf('plain'), displayName: 'plain' });
  });

  it('is for a worktree the repository that it belongs to', async () => {
    workspace = openWorkspace({ 'main/a.txt': 'a' });
    const main = join(workspace.path, 'main');
    git('init', '--quiet', main);
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@b.c'];
    git('-C', main, 'add', '.');
    git('-C', main, ...who, 'commit', '--quiet', '--message', 'one');
    git('-C', main, 'worktree', 'add', '--quiet', join(workspace.path, 'tree'));
    const { peer, session } = await open('tree');
    assert.deepEqual(peer.session(session).project, { uri: workspace.uriOf('main'), displayName: 'main' });
  });

  it('is nobody’s to say but the host’s', async () => {
    verifies('host.session.project');
    workspace = openWorkspace({ 'plain/a.txt': 'a' });
    place = await openHostPlace([agent]);
    const peer = await place.connect();
    const given = { workingDirectories: [], project: { uri: 'file:///theirs', displayName: 'Theirs' } };
    const { session } = await peer.newSession(given);
    assert.equal(peer.session(session).project, undefined);
  });
});
