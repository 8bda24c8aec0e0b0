import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentProvider } from '../../../../../../sidecar/agents/provider.ts';
import type { Race, RaceChoice, RaceFile } from '../../../../../../sidecar/protocol/channels/session/race.ts';
import { hasFlag, status } from '../../../../../../sidecar/protocol/status.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../../support/host/repositoryPlace.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

const PRICES = 'apple 1\npear 2\nplum 3\nfig 4\nlime 5\n';

/** An agent that writes these files into the folder of its session; without any it works until it is stopped. */
function writer(id: string, files: Readonly<Record<string, string>> | undefined): AgentProvider {
  return {
    ...scriptedProvider(async function* () {}),
    id,
    async open({ folders }) {
      const { open } = scriptedProvider(async function* (_turn, _host, signal) {
        if (!files) await new Promise((resolve) => void signal.addEventListener('abort', resolve));
        for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(folders[0] ?? '', name), text);
        yield { kind: 'text', partId: 'a', text: 'Done.' };
      });
      return open({ folders } as never, new AbortController().signal);
    },
  };
}

describe('a race of three agents', () => {
  let at: RepositoryPlace;
  let sessions: string[] = [];
  let trees: string[] = [];
  beforeEach(async () => {
    at = await openRepositoryPlace(
      { 'prices.txt': PRICES, 'old.txt': 'old\n' },
      {
        agents: [
          writer('ana', { 'prices.txt': PRICES.replace('apple 1', 'apple 10').replace('lime 5', 'lime 50') }),
          writer('ben', {
            'prices.txt': PRICES.replace('plum 3', 'plum 30').replace('apple 1', 'apple 11'),
            'new.txt': 'ben\n',
          }),
          writer('cy', { 'prices.txt': 'nothing\n' }),
          writer('dan', undefined),
        ],
      },
    );
    sessions = [];
    trees = [];
  });
  afterEach(async () => {
    rmSync(`${at.workspace.path}.worktrees`, { recursive: true, force: true });
    await at.close();
  });

  const race = async (agents = ['ana', 'ben', 'cy'], check?: string) => {
    const chats: string[] = [];
    for (const provider of agents) {
      const made = await at.peer.newSession({
        provider,
        workingDirectories: [at.workspace.uri],
        config: { worktree: true },
      });
      sessions.push(made.session);
      chats.push(made.chat);
      trees.push(fileURLToPath((at.peer.session(made.session)._meta!['git'] as { worktree: string }).worktree));
    }
    await at.peer.request('x-switchboard/raceStart', { race: 'r', sessions, ...(check !== undefined && { check }) });
    const turns = await Promise.all(chats.map((it) => at.peer.prompt(it, 'Raise the prices')));
    for (const [n, chat] of chats.entries()) if (agents[n] !== 'dan') await at.peer.ended(chat, turns[n]!);
  };
  const filesOf = async (n: number): Promise<RaceFile[]> => {
    const { sessions: all } = await at.peer.request('x-switchboard/raceChanges', { race: 'r' });
    return all.find((it) => it.session === sessions[n])!.files;
  };
  const choose = async (n: number, path: string, hunks?: number[]): Promise<RaceChoice> => {
    const file = (await filesOf(n)).find((it) => it.path === path)!;
    return { session: sessions[n]!, path, version: file.version, ...(hunks && { hunks }) };
  };
  const keep = (...chosen: RaceChoice[]) => at.peer.request('x-switchboard/raceKeep', { race: 'r', chosen });
  const inFolder = (name: string) => readFileSync(join(at.workspace.path, name), 'utf8');
  const raceOf = (session: string) => at.peer.session(session)._meta?.['race'] as Race | undefined;
  const treesLeft = () => at.git('worktree', 'list', '--porcelain').match(/^worktree /gm)!.length - 1;

  it('has hunks of two kept: the folder holds what was chosen, and no worktree is left', async () => {
    verifies('host.race.keep');
    await race();
    assert.deepEqual(
      (await filesOf(1)).map((it) => [
        it.path,
        it.kind,
        it.hunks?.map((hunk) => [hunk.line, hunk.removed, hunk.added]),
      ]),
      [
        ['new.txt', 'created', undefined],
        [
          'prices.txt',
          'changed',
          [
            [0, ['apple 1\n'], ['apple 11\n']],
            [2, ['plum 3\n'], ['plum 30\n']],
          ],
        ],
      ],
    );
    const chosen = [await choose(0, 'prices.txt', [0]), await choose(1, 'prices.txt', [1]), await choose(1, 'new.txt')];
    assert.deepEqual(await keep(...chosen), { written: ['prices.txt', 'new.txt'], kept: [] });
    assert.equal(inFolder('prices.txt'), PRICES.replace('apple 1', 'apple 10').replace('plum 3', 'plum 30'));
    assert.equal(inFolder('new.txt'), 'ben\n');
    assert.equal(at.git('status', '--porcelain'), ' M prices.txt\n?? new.txt\n');
    assert.deepEqual([treesLeft(), at.git('branch', '--format=%(refname:short)')], [0, 'main\n']);
    assert.equal(existsSync(`${at.workspace.path}.worktrees`), false);
    for (const it of sessions) {
      await at.peer.until(() => hasFlag(at.peer.session(it).status, status.IsArchived));
      assert.equal(raceOf(it), undefined);
    }
  });

  it('has one kept whole beside what a person changed, also what its agent committed and deleted', async () => {
    await race();
    at.git('-C', trees[0]!, 'rm', '--quiet', 'old.txt');
    at.git('-C', trees[0]!, 'commit', '--quiet', '--all', '--message', 'work');
    at.workspace.write({ 'prices.txt': PRICES.replace('fig 4', 'fig 40') });
    await keep(await choose(0, 'prices.txt'), await choose(0, 'old.txt'));
    assert.equal(existsSync(join(at.workspace.path, 'old.txt')), false);
    assert.equal(inFolder('prices.txt'), 'apple 10\npear 2\nplum 3\nfig 40\nlime 50\n');
  });

  it('stays as it is where what was chosen conflicts or has changed since', async () => {
    verifies('host.race.whole');
    await race();
    const other = await choose(1, 'new.txt');
    await assert.rejects(keep(other, await choose(0, 'prices.txt', [0]), await choose(1, 'prices.txt', [0])), {
      message: /^Nothing was kept because several changes affect the same place in prices\.txt\./,
    });
    const stale = await choose(0, 'prices.txt');
    writeFileSync(join(trees[0]!, 'prices.txt'), 'again\n');
    await assert.rejects(keep(other, stale), {
      message: 'prices.txt has changed since you looked at it. Choose again.',
    });
    await assert.rejects(keep({ ...other, path: '../outside.txt' }), { message: /did not change this file/ });
    assert.deepEqual([treesLeft(), at.git('status', '--porcelain')], [3, '']);
    assert.equal(raceOf(sessions[0]!)?.id, 'r');
  });

  it('is ended with nothing kept, and what still runs is stopped', async () => {
    await race(['ana', 'dan']);
    await assert.rejects(keep({ session: sessions[1]!, path: 'a', version: '' }), { message: /is still running/ });
    assert.deepEqual(await keep(), { written: [], kept: [] });
    await at.peer.until(() => !hasFlag(at.peer.session(sessions[1]!).status, status.InProgress));
    assert.deepEqual([treesLeft(), at.git('status', '--porcelain')], [0, '']);
    await assert.rejects(keep(), { message: 'The race was ended.' });
  });

  it('survives a restart of the host, and any window goes on with it', async () => {
    verifies('host.race.kept');
    await race();
    await at.place.restart();
    const later = await at.place.connect('c2');
    const { sessions: all } = await later.request('x-switchboard/raceChanges', { race: 'r' });
    assert.deepEqual(
      all.map((it) => it.files.length),
      [1, 2, 1],
    );
    await later.request('x-switchboard/raceKeep', { race: 'r', chosen: [] });
    assert.equal(treesLeft(), 0);
  });

  it('runs the check in the worktree of each session whose turn ends, and again when a person asks', async () => {
    verifies('host.race.check');
    await race(['ana', 'ben', 'dan'], 'echo checked; grep -q "plum 30" prices.txt');
    const checks = () => sessions.map((it) => raceOf(it)?.check);
    const areChecked = () => checks().every((it, n) => n === 2 || it?.state === 'passed' || it?.state === 'failed');
    const shown = () => checks().map((it) => [it?.state, it?.exitCode, it?.output]);
    const still = ['waiting', undefined, undefined];
    await at.peer.until(areChecked);
    assert.deepEqual(shown(), [['failed', 1, 'checked'], ['passed', 0, 'checked'], still]);
    writeFileSync(join(trees[0]!, 'prices.txt'), 'plum 30\n');
    await at.peer.request('x-switchboard/raceCheck', { race: 'r' });
    await at.peer.until(() => checks()[0]?.state === 'passed' && areChecked());
    assert.deepEqual(shown(), [['passed', 0, 'checked'], ['passed', 0, 'checked'], still]);
  });

  const interrupted = async (place: HostPlace) => {
    const later = await place.connect('c2');
    await later.subscribe(sessions[0]!);
    await later.until(() => (later.session(sessions[0]!)._meta!['race'] as Race).check?.state === 'interrupted');
  };

  it('says that a check was interrupted, as soon as the host is back', async () => {
    verifies('host.race.check-interrupted');
    await race(['ana', 'dan'], 'sleep 600');
    await at.peer.until(() => raceOf(sessions[0]!)?.check?.state === 'running');
    const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-killed-'));
    cpSync(at.place.dataDir, dataDir, { recursive: true }); // what a host leaves that is killed now
    const afterKill = await openHostPlace([], { dataDir });
    await interrupted(afterKill);
    await afterKill.close();
    rmSync(dataDir, { recursive: true });
    await at.place.restart();
    await interrupted(at.place);
  });

  it('is refused without trust, for sessions that have no worktree, and twice', async () => {
    await race(['ana', 'ben']);
    const start = (all: readonly string[]) =>
      at.peer.request('x-switchboard/raceStart', { race: 'q', sessions: [...all] });
    await assert.rejects(start(sessions), { message: /is already in a race/ });
    await assert.rejects(start([at.session, sessions[0]!]), {
      message: 'sessions: each must have a worktree of its own',
    });
    const peer = await at.place.connect('c2', { trusted: false });
    await assert.rejects(peer.request('x-switchboard/raceKeep', { race: 'r', chosen: [] }), { code: -32009 });
    await assert.rejects(peer.request('x-switchboard/raceCheck', { race: 'r' }), { code: -32009 });
    assert.equal(treesLeft(), 2);
  });
});
