import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, before, beforeEach, describe, it } from 'mocha';
import { isSandboxed } from '../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { ChannelView } from '../../../src/client/port.ts';
import { beginRace } from '../../../src/views/worktrees/race/beginRace.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../support/host/workspace.ts';
import { pathWithSandbox } from '../../support/sandbox/programs.ts';
import { say } from '../../support/say.ts';
import { verifies } from '../../support/verifies.ts';

/** Leaves a file with the name of its own worktree in each worktree, in the folder of the person, and in its repository. */
const race = (top: string) => `#!/bin/sh
me=by-$(basename "$PWD")
for it in '${top}'/.git/worktrees/*/gitdir; do
  tree=$(dirname "$(cat "$it")")
  cat "$tree/kept" && echo "$me" > "$tree/$me"
done
echo "$me" > '${top}'/"$me"
echo "$me" > '${top}'/.git/hooks/"$me"
true
`;

describe('a race of two sessions', () => {
  let path: string;
  let workspace: Workspace;
  let place: HostPlace;
  let peer: HostPeer;
  before(async () => {
    path = await pathWithSandbox();
  });
  beforeEach(async () => {
    workspace = openWorkspace({ kept: 'kept\n' });
    workspace.write({ race: race(workspace.path) });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace.path });
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '.');
    git('update-index', '--chmod=+x', 'race');
    git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--no-gpg-sign', '--message', 'start');
    place = await openHostPlace(undefined);
    const rules = [{ id: 's', effect: 'allow', target: 'shell', pattern: '*', source: 'user' }] as const;
    peer = await place.connect('c1', { rules: [...rules], env: { PATH: path, HOME: workspace.path } });
  });
  afterEach(async () => {
    await place.close();
    rmSync(`${workspace.path}.worktrees`, { recursive: true, force: true });
    workspace.remove();
  });

  /** The client of the test as a window's. */
  const port = (): Parameters<typeof beginRace>[0] => ({
    request: async (method, params) => (await peer.request(method, params)) as never,
    dispatch: (channel, action) => void peer.dispatch(channel, action),
    open<S>(uri: string): ChannelView<S> {
      const subscribed = peer.subscribe<S>(uri);
      return {
        get shown() {
          return peer.states.get(uri) as S | undefined;
        },
        isRefused: false,
        onDidChange(listener) {
          void subscribed.then(listener);
          return { dispose: () => undefined };
        },
        dispose: () => undefined,
      };
    },
  });
  const names = (folder: string) =>
    readdirSync(folder)
      .filter((it) => it.startsWith('by-'))
      .sort();

  /** Runs the race until each session is done, or asks. */
  const run = async (inSandbox: boolean) => {
    const entries = [1, 2].map((at) => ({ provider: 'runbook', name: `Runbook ${at}` }));
    const wanted = { folder: workspace.uri, prompt: '```sh\n./race\n```', entries, check: '' };
    const sessions = await beginRace(port(), wanted, inSandbox);
    const questions: string[] = [];
    const trees: string[] = [];
    for (const it of sessions) {
      const { defaultChat, _meta } = await peer.subscribe<SessionState>(it);
      const { worktree } = _meta!['git'] as { worktree: string };
      trees.push(fileURLToPath(worktree));
      await peer.subscribe(defaultChat!);
      const asked = () => peer.session(it).inputNeeded ?? [];
      await peer.until(() => peer.chat(defaultChat!).turns.length > 0 || asked().length > 0, 'it is done, or asks');
      questions.push(...asked().map((one) => (one.kind === 'chatInput' ? (one.request.message ?? '') : one.kind)));
    }
    const left = trees.map(names);
    const own = trees.map((it) => `by-${basename(it)}`).sort();
    const inFolder = [workspace.path, join(workspace.path, '.git', 'hooks')].map(names);
    return { questions, own, left, inFolder, trees };
  };

  it('writes anywhere if it was started without sandboxes', async () => {
    const { questions, own, left, inFolder } = await run(false);
    assert.deepEqual({ questions, left, inFolder }, { questions: [], left: [own, own], inFolder: [own, own] });
  });

  it('has sandboxes if the setting is on, however it was started', async () => {
    peer = await place.connect('c2', { sandbox: true });
    const entries = [1, 2].map((at) => ({ provider: 'runbook', name: `Runbook ${at}` }));
    const wanted = { folder: workspace.uri, prompt: 'Nothing to run.', entries, check: '' };
    for (const it of await beginRace(port(), wanted, false)) {
      const { config } = await peer.subscribe<SessionState>(it);
      assert.equal(isSandboxed(config?.values), true);
    }
  });

  it('confines each session to its own worktree if it was started in sandboxes', async () => {
    verifies('host.race.sandboxed');
    const { questions, left, inFolder, trees } = await run(true);
    assert.deepEqual(inFolder, [[], []]);
    if (questions.length > 0) {
      say('sandbox: no sandbox can start here, so the race was refused');
      assert.equal(questions.length, 2);
      for (const it of questions) assert.match(it, /^A sandbox cannot start because /);
      return assert.deepEqual(left, [[], []]);
    }
    say('sandbox: the 2 sessions of the race were confined');
    assert.deepEqual(
      left,
      trees.map((it) => [`by-${basename(it)}`]),
    );
  });
});
