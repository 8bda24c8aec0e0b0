import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { MeasuredTree } from '../../../../../src/client/worktrees.ts';
import { worktreeNodes } from '../../../../../src/views/worktrees/nodes.ts';
import { english as l10n } from '../../../../support/extensionStates.ts';

const tree = (name: string, more: Partial<MeasuredTree> = {}): MeasuredTree => ({
  worktree: `file:///work/shop.worktrees/${name}`,
  repository: 'file:///work/shop',
  branch: `switchboard/${name}`,
  sessions: [],
  holds: [],
  ...more,
});

describe('the rows of worktrees', () => {
  it('1c-8 say the size of each and all that keeps it, and those that may go come last', () => {
    const nodes = worktreeNodes(l10n, [
      tree('a', { size: { bytes: 3_145_728, files: 9, isWhole: true } }),
      tree('b', {
        sessions: [{ resource: 'host-session:/b', title: 'Raise a price' }],
        size: { bytes: 3_145_728, files: 9, isWhole: false },
        holds: [
          { kind: 'running' },
          { kind: 'uncommitted', files: 2 },
          { kind: 'unpushed', commits: 1 },
          { kind: 'pinned' },
        ],
      }),
    ]);
    assert.deepEqual(
      nodes.map((it) => [it.label, it.description, it.icon, it.contextValue, it.session]),
      [
        [
          'Raise a price',
          'running, 2 uncommitted files, 1 unpushed commit, pinned · more than 3 MB',
          'circle-filled',
          'worktree',
          'host-session:/b',
        ],
        ['switchboard/a', 'clean · 3 MB', 'check', 'worktree safe', undefined],
      ],
    );
  });

  it('name the repository where there are several, and the folder where no branch is checked out', () => {
    const { branch: _branch, ...detached } = tree('c', { repository: 'file:///work/bank' });
    assert.deepEqual(
      worktreeNodes(l10n, [tree('a'), detached]).map((it) => [it.label, it.description]),
      [
        ['switchboard/a', 'clean · shop'],
        ['c', 'clean · bank'],
      ],
    );
  });
});
