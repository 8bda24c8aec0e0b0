import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { openGit } from '../../../../../sidecar/host/changes/git/git.ts';
import { openRepository } from '../../../../../sidecar/host/changes/git/gitRepository.ts';
import { withIndex } from '../../../../../sidecar/host/changes/git/withIndex.ts';
import { toAnswer } from '../../../../../sidecar/host/changes/operations/outcome.ts';
import { writeDisk } from '../../../../../sidecar/host/changes/snapshots/diskWriter.ts';
import { codeOfLeft, toLeft } from '../../../../../sidecar/host/changes/snapshots/leftFile.ts';
import { thrownToRpcError } from '../../../../../sidecar/host/rpc/rpcFaults.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { ChangesetFile, ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import { sessionChangesetUri, uncommittedChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { openRepositoryPlace, type RepositoryPlace, writeHook } from '../../../../support/host/repositoryPlace.ts';
import { openWorkspace } from '../../../../support/host/workspace.ts';
import { verifies } from '../../../../support/verifies.ts';

const noReport = () => assert.fail('an expected failure is not reported');
const errnoOf = (code: string) => Object.assign(new Error(`${code}: /home/me/secret`), { code });

describe('a file that cannot be written back', () => {
  for (const { says, code, expected, words } of [
    { says: 'of a full disk', code: 'ENOSPC', expected: -32012, words: /there is not enough disk space/ },
    { says: 'of a full quota', code: 'EDQUOT', expected: -32012, words: /there is not enough disk space/ },
    {
      says: 'of a limit of the size of files',
      code: 'EFBIG',
      expected: -32012,
      words: /there is not enough disk space/,
    },
    { says: 'the system forbids it', code: 'EACCES', expected: -32009, words: /the operating system denied access/ },
    { says: 'the disk fails', code: 'EIO', expected: -32012, words: /it could not be written/ },
    { says: 'its kept bytes are gone', code: 'content', expected: -32006, words: /its content is no longer available/ },
  ]) {
    it(`because ${says} is answered ${expected}, in words without a path, and what was there stays`, async () => {
      verifies('host.error.-32012', 'host.changes.undo-partly');
      const workspace = openWorkspace({ 'a.txt': 'agent\n' });
      try {
        const path = join(workspace.path, 'a.txt');
        const thrown = code === 'content' ? new Fault('content_not_found', 'content not found') : errnoOf(code);
        const state = { kind: 'file', mode: 0o644, sha: '0'.repeat(64), size: 1 } as const;
        const refused: unknown = await writeDisk(path, state, [workspace.path], () => Promise.reject(thrown)).then(
          () => undefined,
          (it: unknown) => it,
        );
        assert.equal(readFileSync(path, 'utf8'), 'agent\n');
        const left = toLeft(path, refused);
        let error: ReturnType<typeof thrownToRpcError> | undefined;
        try {
          toAnswer('undo', { files: 0, left: [left] });
        } catch (it) {
          error = thrownToRpcError(it, noReport);
        }
        assert.equal(error?.code, expected);
        assert.match(error.message, words);
        assert.doesNotMatch(JSON.stringify(error), /secret/);
        assert.notEqual(codeOfLeft(left), 'internal');
      } finally {
        workspace.remove();
      }
    });
  }
});

describe('git that refuses', () => {
  let at: RepositoryPlace;
  afterEach(() => at.close());
  const whole = () => sessionChangesetUri(at.uuid);
  const index = () => readFileSync(join(at.workspace.path, '.git', 'index'));
  const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'mine.txt': 'm\n' };

  for (const { says, refuse, words } of [
    {
      says: 'because a hook fails',
      refuse: () => writeHook(at.workspace, 'exit 1'),
      words: /^Git did not commit the changes\. A hook may have rejected/,
    },
    {
      says: 'because nobody said who commits',
      refuse: () => {
        at.git('config', 'user.name', '');
      },
      words:
        /^Git does not have both a username and an email address configured\. Set them with "git config --global user\.name" and "git config --global user\.email", and then try again/,
    },
  ]) {
    it(`a commit ${says} says what to do, and leaves the index as it was`, async () => {
      verifies('host.changes.commit-index', 'host.error.-32012');
      at = await openRepositoryPlace(files);
      at.workspace.write({ 'mine.txt': 'staged by me\n' });
      at.git('add', 'mine.txt');
      at.workspace.write({ 'mine.txt': 'not staged\n' });
      await at.turn('a.txt=1 new.txt=2');
      await at.peer.subscribe(whole());
      refuse();
      const status = at.git('status', '--porcelain'); // which may write the index anew
      const bytes = index();
      const log = at.git('log', '--format=%H');
      await assert.rejects(at.invoke(whole(), 'commit'), (it: { code: number; message: string }) => {
        assert.deepEqual([it.code, words.test(it.message)], [-32012, true], it.message);
        return true;
      });
      assert.ok(index().equals(bytes), 'the index is another one');
      assert.equal(at.git('status', '--porcelain'), status);
      assert.equal(status, ' M a.txt\nMM mine.txt\n?? new.txt\n');
      assert.equal(at.git('log', '--format=%H'), log);
      assert.equal(existsSync(join(at.workspace.path, '.git', 'index.lock')), false);
    });
  }

  it('takes nothing back of what another program staged meanwhile', async () => {
    verifies('host.changes.commit-index');
    at = await openRepositoryPlace(files);
    const repository = (await openRepository(openGit(process.env), at.workspace.path))!;
    at.workspace.write({ 'a.txt': 'ours\n', 'b.txt': 'of another\n' });
    const failing = withIndex({ report: (it) => assert.fail(String(it)) }, repository, async (staged) => {
      at.git('add', 'a.txt');
      await staged();
      at.git('add', 'b.txt');
      throw new Error('refused');
    });
    await assert.rejects(failing, /refused/);
    assert.equal(at.git('status', '--porcelain'), 'M  a.txt\nM  b.txt\n');
    assert.equal(existsSync(join(at.workspace.path, '.git', 'index.lock')), false);
  });

  it('a commit in a repository without an index leaves none', async () => {
    verifies('host.changes.commit-index');
    at = await openRepositoryPlace({});
    rmSync(join(at.workspace.path, '.git', 'index'), { force: true });
    await at.turn('a.txt=1');
    await at.peer.subscribe(whole());
    writeHook(at.workspace, 'exit 1');
    await assert.rejects(at.invoke(whole(), 'commit'), { code: -32012 });
    assert.equal(at.git('status', '--porcelain'), '?? a.txt\n');
  });
});

describe('a repository within a repository', () => {
  let at: RepositoryPlace;
  afterEach(() => at.close());
  const channel = () => uncommittedChangesetUri(at.uuid);
  const row = () => (at.state(channel()) as ChangesetState).files.find((it) => it.id === at.workspace.uriOf('lib'));

  it('is shown among what is not committed: by its commit, with what it has not committed, and when it is gone', async () => {
    verifies('host.changes.submodules');
    at = await openRepositoryPlace({ 'a.txt': 'a\n' });
    const inner = join(at.workspace.path, 'lib');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: inner, encoding: 'utf8' });
    mkdirSync(inner);
    git('init', '--quiet');
    writeFileSync(join(inner, 'x.txt'), 'x\n');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    const first = git('rev-parse', 'HEAD').trim();
    at.git('add', 'lib');
    at.git('commit', '--quiet', '--message', 'with lib');
    await at.peer.subscribe(channel());
    await at.shows(channel(), []);
    const textOf = async (side: ChangesetFile['edit']['before']) =>
      side && (await at.peer.request('resourceRead', { uri: side.content.uri, encoding: 'utf-8' })).data;

    writeFileSync(join(inner, 'x.txt'), 'changed\n');
    await at.shows(channel(), ['lib']);
    assert.equal(await textOf(row()!.edit.before), `Subproject commit ${first}\n`);
    assert.equal(await textOf(row()!.edit.after), `Subproject commit ${first}-dirty\n`);
    assert.deepEqual(row()!._meta, { git: { staged: false, unstaged: true, submodule: true } });

    git('commit', '--quiet', '--all', '--message', 'second');
    const second = git('rev-parse', 'HEAD').trim();
    at.workspace.write({ 'a.txt': 'moved\n' });
    await at.shows(channel(), ['a.txt', 'lib']);
    await at.peer.until(() => row()?.edit.diff?.added === 1 && row()?.edit.after !== undefined);
    assert.equal(await textOf(row()!.edit.after), `Subproject commit ${second}\n`);
    assert.deepEqual(await at.invoke(channel(), 'stage', 'lib'), { message: 'Staged 1 file.' });
    assert.match(at.git('diff', '--cached', 'lib'), new RegExp(`Subproject commit ${second}`));

    rmSync(inner, { recursive: true });
    await at.peer.until(() => row() !== undefined && row()?.edit.after === undefined);
    assert.equal(await textOf(row()!.edit.before), `Subproject commit ${first}\n`);
    assert.equal(statSync(inner, { throwIfNoEntry: false }), undefined);
  });
});
