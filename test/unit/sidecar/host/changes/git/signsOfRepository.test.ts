import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openGit } from '../../../../../../sidecar/host/changes/git/git.ts';
import { findRepository } from '../../../../../../sidecar/host/changes/git/shadowRepository.ts';

describe('the repository of a folder', () => {
  let root: string;
  let started: number;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'signs-')));
    started = 0;
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const folder = (...names: string[]) => {
    const path = join(root, ...names);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const init = (path: string, ...more: string[]) => execFileSync('git', ['init', '-q', ...more, path]);
  const find = async (path: string) => {
    const git = openGit(process.env);
    const found = await findRepository((...all) => {
      started += 1;
      return git(...all);
    }, path);
    return found?.top;
  };

  it('does not exist if there are no signs of one in or above the folder, which is found without Git', async () => {
    assert.deepEqual([await find(folder('plain', 'deep')), started], [undefined, 0]);
  });

  it('is the one that contains the folder', async () => {
    const deep = folder('work', 'a', 'b');
    init(join(root, 'work'));
    assert.equal(await find(deep), join(root, 'work'));
  });

  it('is the one that a .git file names', async () => {
    init(folder('outer'));
    const git = ['-C', join(root, 'outer'), '-c', 'user.name=n', '-c', 'user.email=e'];
    execFileSync('git', [...git, 'commit', '-q', '--allow-empty', '-m', 'first']);
    execFileSync('git', [...git, 'worktree', 'add', '-q', join(root, 'tree')]);
    assert.equal(await find(folder('tree', 'a')), join(root, 'tree'));
  });

  it('is the one that a link to the folder points into', async () => {
    const inside = folder('work', 'a');
    init(join(root, 'work'));
    symlinkSync(inside, join(root, 'link'));
    assert.equal(await find(join(root, 'link')), join(root, 'work'));
  });

  it('is looked up by Git for a Git directory whose files are elsewhere', async () => {
    const files = folder('files');
    const bare = join(root, 'bare.git');
    init(bare, '--bare');
    execFileSync('git', ['-C', bare, 'config', 'core.bare', 'false']);
    execFileSync('git', ['-C', bare, 'config', 'core.worktree', files]);
    await find(bare);
    assert.equal(started, 1);
  });

  it('is looked up by Git for a folder that does not exist, and for one with a file named HEAD', async () => {
    assert.equal(await find(join(root, 'missing')), undefined);
    writeFileSync(join(folder('odd'), 'HEAD'), '');
    assert.equal(await find(join(root, 'odd')), undefined);
    assert.equal(started, 2);
  });
});
