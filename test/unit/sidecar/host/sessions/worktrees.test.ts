import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { WorktreeInfo } from '../../../../../sidecar/protocol/channels/session/worktrees.ts';
import { hasFlag, status } from '../../../../../sidecar/protocol/status.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the worktrees of sessions', () => {
  let at: RepositoryPlace;
  beforeEach(async () => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n', '.gitignore': 'built/\n' });
  });
  afterEach(async () => {
    rmSync(`${at.workspace.path}.worktrees`, { recursive: true, force: true });
    await at.close();
  });

  const make = async () => {
    const made = await at.peer.newSession({ workingDirectories: [at.workspace.uri], config: { worktree: true } });
    const { worktree, branch } = at.peer.session(made.session)._meta!['git'] as { worktree: string; branch: string };
    return { ...made, worktree, branch, tree: fileURLToPath(worktree) };
  };
  const list = async (params: object = {}) => (await at.peer.request('x-switchboard/worktrees', params)).items;
  const remove = (worktrees: readonly string[], pinned: readonly string[] = []) =>
    at.peer.request('x-switchboard/worktreesRemove', { worktrees: [...worktrees], pinned: [...pinned] });
  const holdsOf = async (worktree: string, params: object = {}) =>
    (await list(params)).find((it: WorktreeInfo) => it.worktree === worktree)?.holds;
  const commit = (tree: string) =>
    at.git('-C', tree, 'commit', '--quiet', '--allow-empty', '--message', 'work of an agent');

  it('are listed with their sessions and branches, and those of a person are not', async () => {
    const made = await make();
    at.git('worktree', 'add', '--quiet', '-b', 'mine', join(`${at.workspace.path}.worktrees`, 'mine'));
    assert.deepEqual(await list(), [
      {
        worktree: made.worktree,
        repository: at.workspace.uri,
        branch: made.branch,
        sessions: [{ resource: made.session, title: '' }],
        holds: [],
      },
    ]);
  });

  it('are listed for an open folder when their session was deleted, with what is in them', async () => {
    const { session, worktree, tree } = await make();
    writeFileSync(join(tree, 'new.txt'), 'work\n');
    await at.peer.request('disposeSession', { channel: session });
    assert.deepEqual(await list(), []);
    const [found] = await list({ folders: [at.workspace.uri] });
    assert.deepEqual(
      [found?.worktree, found?.sessions, found?.holds],
      [worktree, [], [{ kind: 'uncommitted', files: 1 }]],
    );
  });

  it('1c-8 are kept while they hold uncommitted or unpushed work, or a session that is pinned or running', async () => {
    verifies('host.worktree.keeps-work');
    const { session, chat, worktree, tree } = await make();
    writeFileSync(join(tree, 'a.txt'), 'changed\n');
    writeFileSync(join(tree, 'new.txt'), 'added\n');
    commit(tree);
    const work = [
      { kind: 'uncommitted', files: 2 },
      { kind: 'unpushed', commits: 1 },
    ];
    assert.deepEqual(await remove([worktree], [session]), {
      removed: [],
      kept: [{ worktree, holds: [...work, { kind: 'pinned' }] }],
    });
    assert.equal(existsSync(join(tree, 'new.txt')), true);
    assert.equal(hasFlag(at.peer.session(session).status, status.IsArchived), false);

    at.git('-C', tree, 'reset', '--quiet', '--hard', 'main');
    rmSync(join(tree, 'new.txt'));
    assert.deepEqual((await remove([worktree], [session])).kept, [{ worktree, holds: [{ kind: 'pinned' }] }]);
    await at.peer.prompt(chat, 'wait');
    assert.deepEqual(await holdsOf(worktree), [{ kind: 'running' }]);
    assert.deepEqual((await remove([worktree])).kept, [{ worktree, holds: [{ kind: 'running' }] }]);
    assert.equal(existsSync(tree), true);
  });

  it('can be removed when their commits are on a remote or on another branch', async () => {
    const { worktree, tree, branch } = await make();
    commit(tree);
    assert.deepEqual((await remove([worktree])).kept, [{ worktree, holds: [{ kind: 'unpushed', commits: 1 }] }]);
    at.git('update-ref', 'refs/remotes/origin/work', branch);
    assert.deepEqual(await holdsOf(worktree), []);
    at.git('update-ref', '-d', 'refs/remotes/origin/work');
    at.git('merge', '--quiet', branch);
    assert.deepEqual(await holdsOf(worktree), []);
  });

  it('count the commits of a tree in which no branch is checked out any more', async () => {
    const { worktree, tree } = await make();
    at.git('-C', tree, 'checkout', '--quiet', '--detach');
    commit(tree);
    assert.deepEqual(await holdsOf(worktree), [{ kind: 'unpushed', commits: 1 }]);
  });

  it('are removed together with their branches, and their sessions are archived', async () => {
    const [one, other] = [await make(), await make()];
    writeFileSync(join(other.tree, 'new.txt'), 'work\n');
    assert.deepEqual(await remove([one.worktree, other.worktree]), {
      removed: [one.worktree],
      kept: [{ worktree: other.worktree, holds: [{ kind: 'uncommitted', files: 1 }] }],
    });
    assert.deepEqual([existsSync(one.tree), existsSync(other.tree)], [false, true]);
    assert.equal(at.git('branch', '--list', one.branch), '');
    await at.peer.until(() => hasFlag(at.peer.session(one.session).status, status.IsArchived));
    assert.deepEqual(
      (await list()).map((it: WorktreeInfo) => it.worktree),
      [other.worktree],
    );
  });

  it('are kept where Git has them locked', async () => {
    const { worktree, tree } = await make();
    at.git('worktree', 'lock', tree);
    assert.deepEqual((await remove([worktree])).kept, [{ worktree, holds: [{ kind: 'pinned' }] }]);
  });

  it('are measured again only if asked to, without the targets of links, and no other folder is', async () => {
    const { worktree, tree } = await make();
    const size = (more: object = {}) => at.peer.request('x-switchboard/worktreeSize', { worktree, ...more });
    const before = await size();
    mkdirSync(join(tree, 'built/deep'), { recursive: true });
    writeFileSync(join(tree, 'built/deep/out.bin'), Buffer.alloc(5_000));
    symlinkSync(at.workspace.path, join(tree, 'built/link'));
    assert.deepEqual(await size(), before);
    const after = await size({ again: true });
    assert.equal(after.files, before.files + 2);
    assert.equal(after.bytes, before.bytes + 5_000 + at.workspace.path.length);
    await assert.rejects(size({ worktree: at.workspace.uri }), { message: 'The worktree was moved or deleted.' });
  });

  it('are shown to no window that does not trust its folder', async () => {
    const { worktree } = await make();
    const peer = await at.place.connect('c2', { trusted: false });
    const refused = { code: -32009, message: 'Trust this folder to run Git in it.' };
    await assert.rejects(peer.request('x-switchboard/worktrees', {}), refused);
    await assert.rejects(peer.request('x-switchboard/worktreeSize', { worktree }), refused);
    await assert.rejects(peer.request('x-switchboard/worktreesRemove', { worktrees: [worktree] }), refused);
  });
});
