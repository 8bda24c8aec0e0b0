import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { RestoreWhat } from '../../sidecar/protocol/channels/chat/restore.ts';
import type { PermissionRule } from '../../sidecar/protocol/window.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { verifies } from '../support/verifies.ts';

const write = (text: string) => `# Write\n\n\`\`\`write notes.md\n${text}\n\`\`\`\n`;

describe('1a-21 a restore in a host that is killed right after it', () => {
  let place: SidecarPlace;
  let folder: string;
  beforeEach(() => {
    place = openSidecarPlace();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-ws-')));
    mkdirSync(join(folder, '.switchboard/runbooks'), { recursive: true });
    for (const name of ['one', 'two']) writeFileSync(join(folder, `.switchboard/runbooks/${name}.md`), write(name));
  });
  afterEach(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function connect(clientId: string): Promise<HostPeer> {
    const peer = new HostPeer(place.start().peer);
    const rule: PermissionRule = { id: 'r', effect: 'allow', target: 'edit', pattern: '**', source: 'user' };
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    await peer.initialize(clientId, { ...testWindow, folders: [pathToFileURL(folder).href], env, rules: [rule] });
    return peer;
  }
  const notes = () => {
    const path = join(folder, 'notes.md');
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  };

  for (const what of ['both', 'chat', 'files'] satisfies RestoreWhat[])
    it(`can still be taken back: ${what}`, async () => {
      verifies('host.restore.redo');
      const peer = await connect('c1');
      const workingDirectories = [pathToFileURL(folder).href];
      const { session, chat } = await peer.newSession({ provider: 'runbook', workingDirectories });
      const ids: string[] = [];
      for (const name of ['one', 'two']) {
        ids.push(await peer.prompt(chat, `/${name}`));
        await peer.ended(chat, ids.at(-1)!);
      }
      assert.equal(notes(), 'two');
      await peer.request('x-switchboard/restore', { channel: chat, turnId: ids[0]!, what });
      await place.killHost();
      const again = await connect('c2');
      for (const it of [session, chat]) await again.subscribe(it);
      assert.deepEqual(
        [notes(), again.chat(chat).turns.map((it) => it.id)],
        [what === 'chat' ? 'two' : undefined, what === 'files' ? ids : []],
      );
      await again.request('x-switchboard/restoreRedo', { channel: chat });
      assert.deepEqual([notes(), again.chat(chat).turns.map((it) => it.id)], ['two', ids]);
    });
});
