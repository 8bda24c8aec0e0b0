import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type FilePlace, fileRules } from '../../../../../sidecar/platform/sandbox/fileRules.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the files of a sandbox', () => {
  const rules = (
    there: readonly string[],
    more: Partial<FilePlace> = {},
    needs: Parameters<typeof fileRules>[1] = {},
  ) =>
    fileRules(
      {
        folders: ['/work/repository'],
        place: '/data/sandboxes/s1',
        temporary: '/data/sandboxes/s1/tmp',
        home: '/home/me',
        dataDir: '/data',
        agentStates: ['/home/me/.agent', '/home/me/.other'],
        exists: (path) => there.includes(path),
        ...more,
      },
      needs,
    );

  it('can be written only in the folders, the temporary folder, and the state of the agent', () => {
    verifies('host.sandbox.confined');
    const { writes, hidden } = rules(['/home/me/.agent', '/home/me/.other'], {}, { writes: ['/home/me/.agent'] });
    assert.deepEqual(writes, ['/work/repository', '/data/sandboxes/s1/tmp', '/home/me/.agent']);
    assert.deepEqual(hidden, ['/home/me/.other'], 'the state of another agent is hidden');
  });

  it('are protected if they exist and others act upon them', () => {
    const there = ['/work/repository/.git', '/work/repository/.vscode', '/home/me/.agent/settings.json'];
    const { protects } = rules(there, {}, { protects: ['/home/me/.agent/settings.json', '/home/me/.agent/missing'] });
    assert.deepEqual(protects, there);
  });

  it('are hidden if they are secrets, the data of the host, or worktrees of other sessions', () => {
    const there = ['/home/me/.ssh', '/data', '/data/agents', '/work/repository.worktrees'];
    const { hidden, shown } = rules(there);
    assert.deepEqual(hidden, ['/home/me/.ssh', '/data', '/work/repository.worktrees']);
    assert.deepEqual(shown, ['/data/agents']);
  });

  it('of a worktree hide the other worktrees beside it', () => {
    const own = '/work/repository.worktrees/one';
    const { hidden, writes } = rules(['/work/repository.worktrees'], { folders: [own] });
    assert.deepEqual(hidden, ['/work/repository.worktrees']);
    assert.equal(writes[0], own);
  });
});
