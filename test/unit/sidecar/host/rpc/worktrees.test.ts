import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import { momentOf, systemClock } from '../../../../../sidecar/platform/clock.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a session with a worktree of its own', () => {
  let at: RepositoryPlace;
  /** How far the clock of the host is ahead. */
  let skippedMs = 0;
  afterEach(async () => {
    const trees = `${at.workspace.path}.worktrees`;
    if (existsSync(trees)) at.workspace.remove(join('..', trees.split('/').at(-1)!));
    await at.close();
  });
  const open = async (isRepository = true) => {
    skippedMs = 0;
    const nowMs = () => Date.now() + skippedMs;
    const clock = { ...systemClock, nowMs, now: () => momentOf(nowMs()) };
    at = await openRepositoryPlace({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' }, { isRepository, clock });
  };
  const make = async (peer: HostPeer = at.peer, name = '') => {
    const { session } = await peer.newSession({
      workingDirectories: [name === '' ? at.workspace.uri : at.workspace.uriOf(name)],
      config: { worktree: true },
    });
    const { workingDirectories, _meta, project } = peer.session(session);
    const { worktree, branch } = _meta!['git'] as { worktree: string; branch: string };
    return { session, tree: fileURLToPath(worktree), branch, folder: fileURLToPath(workingDirectories![0]!), project };
  };
  const dispose = async (session: string) => {
    await at.peer.request('disposeSession', { channel: session });
    const told = () =>
      at.peer.notified.find((it) => it.method === 'root/sessionRemoved' && it.params['session'] === session);
    await at.peer.until(() => told() !== undefined);
    return told()!.params['_meta'];
  };
  const branches = () => at.git('branch', '--format=%(refname:short)').trim().split('\n');

  it('is offered where there is a repository, as a choice that is made once', async () => {
    await open();
    const resolve = (more: object) =>
      at.peer.request('resolveSessionConfig', { workingDirectory: at.workspace.uri, ...more });
    const dial = { 'switchboard.permissions': 'ask', 'switchboard.sandbox': 'off' };
    const { schema, values } = await resolve({});
    assert.deepEqual(
      [schema.properties['worktree']?.sessionMutable, values],
      [undefined, { worktree: false, ...dial }],
    );
    assert.deepEqual((await resolve({ config: { worktree: true } })).values, { worktree: true, ...dial });
    assert.deepEqual((await at.peer.request('resolveSessionConfig', {})).values, dial);
  });

  it('works on a branch of its own beside the repository, whose project it is', async () => {
    await open();
    at.workspace.write({ 'a.txt': 'not committed\n' });
    const { tree, folder, branch, project } = await make(at.peer, 'sub');
    assert.equal(dirname(tree), `${at.workspace.path}.worktrees`);
    assert.equal(folder, join(tree, 'sub'));
    assert.deepEqual(readdirSync(folder), ['b.txt']);
    assert.ok(branches().includes(branch));
    assert.equal(at.git('-C', tree, 'status', '--porcelain', '--branch'), `## ${branch}\n`);
    assert.equal(project?.uri, at.workspace.uri);
  });

  it('leaves nothing behind when it goes with nothing in it', async () => {
    await open();
    const { session, tree } = await make();
    assert.equal(await dispose(session), undefined);
    assert.deepEqual([existsSync(tree), existsSync(dirname(tree)), branches()], [false, false, ['main']]);
    assert.equal(at.git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length, 1);
  });

  it('leaves nothing behind where another session took its name while the tree was made', async () => {
    await open();
    const channel = sessionUri(randomUUID());
    const params = { channel, workingDirectories: [at.workspace.uri] };
    const made = await Promise.allSettled([
      at.peer.request('createSession', { ...params, config: { worktree: true } }),
      at.peer.request('createSession', params),
    ]);
    assert.deepEqual(
      made.map((it) => it.status),
      ['rejected', 'fulfilled'],
    );
    assert.deepEqual([existsSync(`${at.workspace.path}.worktrees`), branches()], [false, ['main']]);
  });

  it('keeps what is not committed, and says where', async () => {
    await open();
    const { session, tree, branch } = await make();
    at.workspace.write({ [join('..', tree.split('/').slice(-2).join('/'), 'new.txt')]: 'work\n' });
    assert.deepEqual(await dispose(session), { worktreeKept: `file://${tree}` });
    assert.equal(existsSync(join(tree, 'new.txt')), true);
    assert.ok(branches().includes(branch));
  });

  it('keeps the branch where it has commits that are nowhere else', async () => {
    await open();
    const { session, tree, branch } = await make();
    at.git('-C', tree, 'commit', '--quiet', '--allow-empty', '--message', 'work');
    assert.equal(await dispose(session), undefined);
    assert.equal(existsSync(tree), false);
    assert.equal(at.git('log', '-1', '--format=%s', branch), 'work\n');
  });

  describe('that is merged', () => {
    const merge = (session: string) => at.peer.request('x-switchboard/mergeWorktree', { channel: session });
    const commitIn = (tree: string, name: string, text: string) => {
      writeFileSync(join(tree, name), text);
      at.git('-C', tree, 'add', '--all');
      at.git('-C', tree, 'commit', '--quiet', '--message', `change ${name}`);
    };
    const inMain = (name: string) => readFileSync(join(at.workspace.path, name), 'utf8');

    it('1c-7 has its commits in the branch that is checked out in the repository', async () => {
      verifies('host.worktree.merge');
      await open();
      const { session, tree, branch } = await make();
      commitIn(tree, 'new.txt', 'one\n');
      commitIn(tree, 'a.txt', 'changed\n');
      assert.deepEqual(await merge(session), { branch, into: 'main', commits: 2 });
      assert.deepEqual([inMain('new.txt'), inMain('a.txt')], ['one\n', 'changed\n']);
      await assert.rejects(merge(session), { message: `main already contains all commits from ${branch}.` });
    });

    it('1c-7 has nothing merged where the branches conflict', async () => {
      await open();
      const { session, tree, branch } = await make();
      commitIn(tree, 'a.txt', 'of the agent\n');
      commitIn(tree, 'new.txt', 'one\n');
      commitIn(at.workspace.path, 'a.txt', 'of a person\n');
      await assert.rejects(merge(session), {
        message: new RegExp(`^Nothing was merged because ${branch} and main conflict`),
      });
      assert.equal(inMain('a.txt'), 'of a person\n');
      assert.equal(at.git('status', '--porcelain'), '');
    });

    it('1c-7 has nothing merged over changes that are not committed, on either side', async () => {
      await open();
      const { session, tree } = await make();
      commitIn(tree, 'a.txt', 'of the agent\n');
      at.workspace.write({ 'a.txt': 'not committed\n' });
      await assert.rejects(merge(session), { message: /Uncommitted changes in the repository may be in the way/ });
      assert.equal(inMain('a.txt'), 'not committed\n');
      writeFileSync(join(tree, 'b.txt'), 'left\n');
      await assert.rejects(merge(session), { message: /^The worktree has changes that are not committed/ });
    });

    it('1c-7 is refused for a window that does not trust its folder, and for a session without a worktree', async () => {
      await open();
      const { session } = await make();
      const other = await at.place.connect('c2', { trusted: false });
      await assert.rejects(other.request('x-switchboard/mergeWorktree', { channel: session }), {
        message: 'Trust this folder to run Git in it.',
      });
      const plain = await at.peer.newSession({ workingDirectories: [at.workspace.uri] });
      await assert.rejects(merge(plain.session), { message: 'channel: the session has no worktree of its own' });
    });
  });

  const ways: Readonly<Record<string, (tree: string) => string>> = {
    'in it': (tree) => tree,
    'in a folder of it': (tree) => `${tree}/sub`,
    'in it by a name that is written in another way': (tree) => tree.replaceAll('-', '%2D'),
    'in it by way of a link': (tree) => {
      symlinkSync(tree, join(at.workspace.path, 'linked'));
      return join(at.workspace.path, 'linked');
    },
  };
  for (const [where, path] of Object.entries(ways))
    it(`keeps its tree while another session works ${where}`, async () => {
      await open();
      const { session, tree } = await make();
      const second = await at.peer.newSession({ workingDirectories: [`file://${path(tree)}`] });
      await dispose(session);
      assert.equal(existsSync(tree), true);
      await dispose(second.session);
    });

  it('is let go with its tree after a week in which nobody used it, unless another session works there', async () => {
    await open();
    const [shared, unused] = [await make(), await make()];
    const { chat } = await at.peer.newSession({ workingDirectories: [`file://${shared.tree}`] });
    await at.turn('hello', chat);
    skippedMs = 8 * 24 * 60 * 60 * 1000;
    await at.place.restart();
    const later = await at.place.connect('c2');
    for (const { session } of [shared, unused])
      await assert.rejects(later.request('subscribe', { channel: session }), { code: -32001 });
    await until('the tree that nobody works in is gone', () => !branches().includes(unused.branch));
    assert.deepEqual([existsSync(unused.tree), existsSync(shared.tree)], [false, true]);
  });

  it('is refused without a repository, and to a window that does not trust the folder, and nothing is made', async () => {
    await open(false);
    const refused = async (peer: HostPeer, error: object) => {
      const channel = sessionUri(randomUUID());
      const params = { channel, workingDirectories: [at.workspace.uri], config: { worktree: true } };
      await assert.rejects(peer.request('createSession', params), error);
      await assert.rejects(peer.request('subscribe', { channel }), { code: -32001 });
    };
    await refused(at.peer, { code: -32602, message: 'config.worktree: the folder is not in a Git repository' });
    at.git('init', '--quiet');
    await refused(at.peer, { code: -32602, message: 'config.worktree: the repository has no commits yet' });
    const untrusting = await at.place.connect('c2', { trusted: false });
    await refused(untrusting, { code: -32009, message: 'Trust this folder to run Git in it.' });
    assert.equal(existsSync(`${at.workspace.path}.worktrees`), false);
  });

  it('has it after a restart too', async () => {
    await open();
    const { session, tree } = await make();
    await at.place.restart();
    const later = await at.place.connect('c2');
    const state = await later.subscribe<SessionState>(session);
    assert.equal((state._meta!['git'] as { worktree: string }).worktree, `file://${tree}`);
    await later.request('disposeSession', { channel: session });
    assert.equal(existsSync(tree), false);
  });
});
