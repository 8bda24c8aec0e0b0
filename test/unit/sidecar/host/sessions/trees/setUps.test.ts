import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import { SANDBOX } from '../../../../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import { setUpOf } from '../../../../../../sidecar/protocol/channels/session/setUp.ts';
import { openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../../support/host/repositoryPlace.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

/** An agent that says whether its worktree was set up before its turn. */
const looker = {
  ...scriptedProvider(async function* () {}),
  id: 'looker',
  async open({ folders }: { readonly folders: readonly string[] }) {
    const { open } = scriptedProvider(async function* () {
      yield { kind: 'text', partId: 'a', text: existsSync(join(folders[0] ?? '', 'ready')) ? 'ready' : 'not ready' };
    });
    return open({ folders } as never, new AbortController().signal);
  },
};

describe('the set-up command of a worktree', () => {
  let at: RepositoryPlace;
  afterEach(async () => {
    rmSync(`${at.workspace.path}.worktrees`, { recursive: true, force: true });
    await at.close();
  });

  const open = async (setUpCommand: string, more: Record<string, string> = {}) => {
    at = await openRepositoryPlace({ 'a.txt': 'a\n' }, { window: { setUpCommand }, agents: [looker] });
    const config = { worktree: true, ...more };
    const made = await at.peer.newSession({
      provider: 'looker',
      workingDirectories: [at.workspace.uri],
      config,
    });
    const { worktree } = at.peer.session(made.session)._meta!['git'] as { worktree: string };
    const setUp = (peer = at.peer) => setUpOf(peer.session(made.session)._meta);
    /** The texts of a turn, which are notices and what the agent says. */
    const play = async () => {
      const turn = await at.peer.ended(made.chat, await at.peer.prompt(made.chat, 'go'));
      return turn.responseParts.flatMap((it) => {
        if (it.kind === 'systemNotification')
          return typeof it.content === 'string' ? [it.content] : it.content.markdown;
        return it.kind === 'markdown' ? [it.content] : [];
      });
    };
    const holds = async () => {
      const { items } = await at.peer.request('x-switchboard/worktrees', {});
      return items.map((it) => [it.setUp?.state, it.holds.map((hold) => hold.kind)]);
    };
    return { ...made, tree: fileURLToPath(worktree), setUp, play, holds };
  };

  it('runs when the worktree was made, and the first turn waits for it', async () => {
    verifies('host.worktree.set-up');
    const gate = join(tmpdir(), `switchboard-gate-${process.pid}`);
    rmSync(gate, { force: true });
    const { chat, tree, setUp, play, holds } = await open(`until [ -e ${gate} ]; do :; done; touch ready; pwd`);
    assert.equal(setUp()?.state, 'running');
    assert.deepEqual(await holds(), [['running', ['running']]]);
    const played = play();
    await at.peer.until(() => at.peer.chat(chat).activity === 'Setting up the worktree.', 'the turn waits');
    writeFileSync(gate, '');
    assert.deepEqual(await played, ['ready']);
    rmSync(gate);
    assert.deepEqual([setUp()?.state, setUp()?.exitCode, setUp()?.output], ['passed', 0, tree]);
  });

  it('leaves what it printed when it fails, and the chat says so once', async () => {
    const { setUp, play } = await open('echo no network; exit 3');
    const said =
      'The set-up command of this worktree failed with exit code 3, so programs may not run here. The Worktrees view shows what it printed.';
    assert.deepEqual([await play(), await play()], [[said, 'not ready'], ['not ready']]);
    assert.deepEqual(setUp(), {
      command: 'echo no network; exit 3',
      state: 'failed',
      exitCode: 3,
      output: 'no network',
    });
  });

  it('is shown as interrupted when the host was killed meanwhile', async () => {
    const { session, setUp } = await open('sleep 600');
    assert.equal(setUp()?.state, 'running');
    const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-killed-'));
    cpSync(at.place.dataDir, dataDir, { recursive: true }); // what a host leaves that is killed now
    const afterKill = await openHostPlace([looker], { dataDir });
    const later = await afterKill.connect('c2');
    await later.subscribe(session);
    await later.until(() => setUp(later)?.state === 'interrupted', 'the set-up is interrupted');
    await afterKill.close();
    rmSync(dataDir, { recursive: true });
  });

  it('ends with its session, and its worktree goes', async () => {
    const { session, tree } = await open('sleep 600');
    await at.peer.request('disposeSession', { channel: session });
    assert.equal(existsSync(tree), false);
  });

  it('ends with its race, and its worktree goes', async () => {
    const { session, tree } = await open('sleep 600');
    const { session: other } = await at.peer.newSession({
      workingDirectories: [at.workspace.uri],
      config: { worktree: true },
    });
    await at.peer.request('x-switchboard/raceStart', { race: 'r', sessions: [session, other] });
    const { kept } = await at.peer.request('x-switchboard/raceKeep', { race: 'r', chosen: [] });
    assert.deepEqual([kept, existsSync(tree)], [[], false]);
  });

  it('runs outside the sandbox of its session', async () => {
    verifies('host.worktree.set-up');
    // The repository is beside the worktree, and not among the session's folders.
    const { setUp } = await open('touch "$(git rev-parse --git-common-dir)/../outside"', { [SANDBOX]: 'on' });
    await at.peer.until(() => setUp()?.state !== 'running', 'the set-up ended');
    assert.deepEqual([setUp()?.state, existsSync(join(at.workspace.path, 'outside'))], ['passed', true]);
  });

  it('does not run for a session without a worktree of its own', async () => {
    await open('touch ready');
    const { session } = await at.peer.newSession({ provider: 'looker', workingDirectories: [at.workspace.uri] });
    assert.equal(setUpOf(at.peer.session(session)._meta), undefined);
    assert.equal(existsSync(join(at.workspace.path, 'ready')), false);
  });
});
