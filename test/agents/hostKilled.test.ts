import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'mocha';
import { fakeAgent } from '../integration/peers/acp/fakeAgent.ts';
import { promptAllowing } from '../support/agents/allowAll.ts';
import { installAgents, realAgents } from '../support/agents/realAgents.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { startModel } from '../support/model/server.ts';
import { say } from '../support/say.ts';
import { openSidecarPlace } from '../support/sidecar.ts';
import { until } from '../support/until.ts';

const bin = await installAgents();

describe('kill -9 of the host', () => {
  it('leaves no process of both agents and of one that forks twice', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-killed-')));
    const model = await startModel();
    const place = openSidecarPlace();
    try {
      const peer = new HostPeer(place.start().peer);
      const home = join(root, 'home');
      const real = realAgents(bin);
      const env = Object.assign({}, ...real.map((it) => it.env(home, model.url))) as Record<string, string>;
      const { icon: _, ...fake } = { ...fakeAgent([]), icon: undefined };
      const agents = [...real.map((it) => it.setting), fake].map(({ id, displayName, command, args, env: names }) => ({
        id,
        displayName,
        command,
        args: [...args],
        env: [...names],
      }));
      const folder = pathToFileURL(root).href;
      await peer.initialize(randomUUID(), { ...testWindow, folders: [folder], env, agents });
      for (const { id } of agents) {
        const { chat } = await peer.newSession({ provider: id, workingDirectories: [folder] });
        await promptAllowing(peer, chat, id === 'fake' ? 'fork' : 'say Here.');
        await peer.prompt(chat, id === 'fake' ? 'wait' : 'hang');
      }
      const running = processesAt(home);
      assert.ok(running.length >= 4, `only ${running.length} processes to kill`);
      await place.killHost();
      await until('no process is left', () => processesAt(home).length === 0, { seen: () => processesAt(home) });
      say(`0 processes left (of ${running.length})`);
    } finally {
      await place.close();
      await model.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});

/** Processes whose HOME is the test's own: the agents with all they started, and nothing else. */
function processesAt(home: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      } catch {
        return false; // it ended meanwhile
      }
    });
}
