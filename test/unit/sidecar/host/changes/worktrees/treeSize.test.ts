import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { treeSize } from '../../../../../../sidecar/host/changes/worktrees/treeSize.ts';
import { openWorkspace } from '../../../../../support/host/workspace.ts';

describe('the size of a folder', () => {
  it('is that of all files in it', async () => {
    const workspace = openWorkspace({ 'a.txt': '12345', 'sub/deep/b.txt': '678' });
    assert.deepEqual(await treeSize(workspace.path), { bytes: 8, files: 2, isWhole: true });
    workspace.remove();
  });

  it('is counted up to a number of entries, and is then reported as a part', async () => {
    const workspace = openWorkspace({ 'a.txt': '12345', 'b.txt': '12345', 'c.txt': '12345' });
    assert.deepEqual(await treeSize(workspace.path, 2), { bytes: 10, files: 2, isWhole: false });
    workspace.remove();
  });

  it('is nothing for a folder that is gone', async () => {
    assert.deepEqual(await treeSize('/nowhere/at/all'), { bytes: 0, files: 0, isWhole: true });
  });
});
