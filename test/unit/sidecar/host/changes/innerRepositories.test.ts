import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { openGit } from '../../../../../sidecar/host/changes/git/git.ts';
import { mergeWorktree } from '../../../../../sidecar/host/changes/git/worktrees.ts';
import { commitFiles, stage } from '../../../../../sidecar/host/changes/operations/repositoryOperations.ts';
import { holdsOf } from '../../../../../sidecar/host/changes/worktrees/foundTrees.ts';
import { uncommittedChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

/** Its settings are those that a program in a sandbox could write. */
describe('a repository within a repository, whose settings name programs,', () => {
  let at: RepositoryPlace;
  afterEach(() => at.close());
  const inner = () => join(at.workspace.path, 'lib');
  const mark = () => join(at.workspace.path, '..', `${at.uuid}-ran`);
  const inInner = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: inner(), encoding: 'utf8' });
  /** Whether a planted program ran since the last call. */
  const hasRun = () => {
    const ran = existsSync(mark());
    rmSync(mark(), { force: true });
    return ran;
  };

  async function open(): Promise<void> {
    at = await openRepositoryPlace({ 'a.txt': 'a\n' });
    mkdirSync(inner());
    inInner('init', '--quiet');
    writeFileSync(join(inner(), 'x.txt'), 'x\n');
    inInner('add', '.');
    inInner('commit', '--quiet', '--message', 'first');
    at.git('add', 'lib');
    at.git('commit', '--quiet', '--message', 'with lib');
    const program = join(inner(), '.git', 'planted');
    writeFileSync(program, `#!/bin/sh\n: > '${mark()}'\ncat\n`, { mode: 0o755 });
    for (const it of ['core.fsmonitor', 'filter.planted.clean', 'filter.planted.smudge', 'diff.planted.textconv'])
      inInner('config', it, program);
    mkdirSync(join(inner(), '.git', 'hooks'), { recursive: true });
    for (const it of ['pre-commit', 'post-index-change', 'post-checkout'])
      writeFileSync(join(inner(), '.git', 'hooks', it), `#!/bin/sh\n: > '${mark()}'\n`, { mode: 0o755 });
    writeFileSync(join(inner(), '.git', 'info', 'attributes'), '* filter=planted diff=planted\n');
    writeFileSync(join(inner(), 'x.txt'), 'changed\n');
    rmSync(mark(), { force: true });
  }
  const deps = (isSandboxed: boolean) => ({
    git: openGit(process.env),
    report: () => undefined,
    folders: [at.workspace.path],
    isSandboxed,
  });

  it('starts none of them when the host shows, stages, and commits changes, or makes a patch', async () => {
    verifies('host.changes.runs-nothing-inner');
    await open();
    at.git('status');
    assert.equal(hasRun(), true, 'the planted programs run where nothing prevents it');
    const channel = uncommittedChangesetUri(at.uuid);
    await at.peer.subscribe(channel);
    await at.shows(channel, ['lib']);
    at.workspace.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n' });
    await at.shows(channel, ['a.txt', 'lib', 'new.txt']);
    assert.equal(hasRun(), false, 'a program ran to show the changes');
    await at.invoke(channel, 'patch');
    assert.equal(hasRun(), false, 'a program ran for a patch');
    await at.invoke(channel, 'stage', 'lib');
    await at.invoke(channel, 'stage', 'a.txt');
    assert.equal(hasRun(), false, 'a program ran to stage');
    await at.peer.until(
      () => at.state(channel).operations?.some((it) => it.id === 'commit' && it.status === 'idle') === true,
    );
    await at.invoke(channel, 'commit');
    await commitFiles(deps(true), [join(at.workspace.path, 'new.txt')], 'new');
    await assert.rejects(commitFiles(deps(true), [inner()], 'nothing new'), /There is nothing to commit/);
    assert.equal(hasRun(), false, 'a program ran to commit');
    await at.turn('a.txt=again');
    assert.equal(hasRun(), false, 'a program ran to record a turn');
  });

  it('starts none of them when a worktree that contains it is looked at, merged, or removed', async () => {
    verifies('host.changes.runs-nothing-inner');
    await open();
    const tree = { path: at.workspace.path, isLocked: false, isGone: false };
    const [held] = await holdsOf(deps(true).git, tree);
    assert.deepEqual(held, { kind: 'uncommitted', files: 1 });
    const meta = { worktree: at.workspace.uri, branch: 'main', repository: at.workspace.uri };
    await assert.rejects(
      mergeWorktree(deps(true).git, meta, () => undefined),
      /already contains all commits/,
    );
    assert.equal(hasRun(), false);
  });

  it('gets nothing staged or committed for a session with a sandbox, and the refusal says what to do', async () => {
    verifies('host.changes.runs-nothing-inner');
    await open();
    const path = join(inner(), 'x.txt');
    const refusal = { code: 'forbidden', message: /"lib" is within the session's folder.*use Git in a terminal/ };
    await assert.rejects(stage(deps(true), [path]), refusal);
    await assert.rejects(commitFiles(deps(true), [path], 'x'), refusal);
    assert.equal(hasRun(), false);
    assert.equal(await stage(deps(false), [path]), 1);
  });
});
