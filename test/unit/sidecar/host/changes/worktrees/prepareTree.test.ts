import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('a new worktree', () => {
  let at: RepositoryPlace;
  afterEach(async () => {
    rmSync(`${at.workspace.path}.worktrees`, { recursive: true, force: true });
    await at.close();
  });
  const open = async (files: Readonly<Record<string, string>>, linkedFolders: readonly string[] = []) => {
    at = await openRepositoryPlace(files, { window: { linkedFolders: [...linkedFolders] } });
  };
  const make = async () => {
    const made = await at.peer.newSession({ workingDirectories: [at.workspace.uri], config: { worktree: true } });
    const { worktree } = at.peer.session(made.session)._meta!['git'] as { worktree: string };
    return { ...made, worktree, tree: fileURLToPath(worktree) };
  };

  it('has the ignored files that the repository names, and no others', async () => {
    verifies('host.worktree.prepared');
    await open({ '.gitignore': '.env*\n*.secret\nlink\n', '.worktreeinclude': '.env*\nnotes.txt\nlink\n!.env.bad\n' });
    const outside = mkdirSync(join(at.workspace.path, '..', `${at.uuid}-outside`), { recursive: true })!;
    symlinkSync(outside, join(at.workspace.path, 'link'));
    at.workspace.write({
      '.env': 'KEY=1\n',
      'sub/.env.local': 'KEY=2\n',
      '.env.bad': 'x',
      'a.secret': 'x',
      'notes.txt': 'mine',
    });
    const { tree, worktree } = await make();
    assert.deepEqual(
      ['.env', 'sub/.env.local', '.env.bad', 'a.secret', 'notes.txt', 'link'].map((it) => existsSync(join(tree, it))),
      [true, true, false, false, false, false],
    );
    assert.equal(readFileSync(join(tree, '.env'), 'utf8'), 'KEY=1\n');
    const [listed] = (await at.peer.request('x-switchboard/worktrees', {})).items;
    assert.deepEqual([listed?.worktree, listed?.holds], [worktree, []]);
    rmSync(outside, { recursive: true });
  });

  it('has links to the ignored folders that the person names, is clean, and goes without what they lead to', async () => {
    await open({ '.gitignore': 'node_modules/\n', 'src/a.txt': 'a\n' }, [
      'node_modules',
      'src',
      'gone',
      '../up',
      '/tmp',
    ]);
    at.workspace.write({ 'node_modules/tool/index.js': 'tool\n' });
    const { tree, worktree } = await make();
    assert.equal(readlinkSync(join(tree, 'node_modules')), join(at.workspace.path, 'node_modules'));
    assert.equal(readFileSync(join(tree, 'node_modules/tool/index.js'), 'utf8'), 'tool\n');
    assert.equal(lstatSync(join(tree, 'src')).isSymbolicLink(), false);
    assert.equal(at.git('-C', tree, 'status', '--porcelain'), '');
    await make();
    assert.equal(
      readFileSync(join(at.workspace.path, '.git/info/exclude'), 'utf8').match(/^\/node_modules$/gm)?.length,
      1,
    );
    const { removed } = await at.peer.request('x-switchboard/worktreesRemove', { worktrees: [worktree] });
    assert.deepEqual(removed, [worktree]);
    assert.equal(existsSync(join(at.workspace.path, 'node_modules/tool/index.js')), true);
  });

  it('is not made where the repository names too many files', async () => {
    await open({ '.gitignore': 'many/\n', '.worktreeinclude': 'many/\n' });
    at.workspace.write(Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`many/${n}`, ''])));
    await assert.rejects(make(), { message: /^\.worktreeinclude names more than 5000 files\./ });
    assert.equal(existsSync(`${at.workspace.path}.worktrees`), false);
    assert.equal(at.git('branch', '--format=%(refname:short)'), 'main\n');
  });
});
