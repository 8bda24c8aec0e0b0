import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { repositoryAround } from '../../../../../../sidecar/host/changes/git/project.ts';

describe('the repository around a folder', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'around-')));
    mkdirSync(join(root, 'inner', 'deep'), { recursive: true });
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is the innermost one', async () => {
    assert.equal(await repositoryAround(join(root, 'inner', 'deep')), root);
    writeFileSync(join(root, 'inner', '.git'), 'gitdir: ../.git/worktrees/inner\n');
    assert.equal(await repositoryAround(join(root, 'inner', 'deep')), join(root, 'inner'));
  });

  it('is not a folder with an empty .git, as Git itself decides', async () => {
    mkdirSync(join(root, 'inner', '.git'));
    assert.equal(await repositoryAround(join(root, 'inner', 'deep')), root);
  });
});
