import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { openGit } from '../../../../../../sidecar/host/changes/git/git.ts';
import { findRepository, ShadowRepository } from '../../../../../../sidecar/host/changes/git/shadowRepository.ts';
import { commitAll } from '../../../../../support/changes/repository.ts';

describe('the repository in which the host keeps the trees of a folder', () => {
  it('answers the tree that is on the disk, also after another instance has changed the index', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'shadow-')));
    const [folder, kept] = [join(root, 'repository'), join(root, 'kept')];
    try {
      const write = (text: string) => writeFileSync(join(folder, 'a.txt'), text);
      mkdirSync(folder);
      write('one\n');
      commitAll(folder, 'a.txt');
      const git = openGit(process.env);
      const found = await findRepository(git, folder);
      assert.ok(found);
      const [first, second] = [0, 1].map(() => new ShadowRepository(git, kept, found, 1_000_000));
      assert.ok(first && second);
      const before = await first.look([folder]);
      assert.equal((await first.look([folder])).tree, before.tree, 'nothing changed');
      write('two\n');
      const after = await second.look([folder]);
      assert.notEqual(after.tree, before.tree);
      assert.equal((await first.look([folder])).tree, after.tree);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
