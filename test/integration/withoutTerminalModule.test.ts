import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TerminalAction, TerminalState } from '../../sidecar/protocol/channels/terminal/schema.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { builtSidecar, openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';

const CHANNEL = 'host-terminal:/piped';

describe('a package without the terminal module', () => {
  let root: string;
  let place: SidecarPlace;
  let peer: HostPeer;
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-no-module-')));
    // As it is packaged for a platform that the module has no binaries for: nothing lies beside the sidecar.
    cpSync(dirname(builtSidecar), join(root, 'dist/sidecar'), { recursive: true });
    place = openSidecarPlace(join(root, 'dist/sidecar/main.mjs'));
    peer = new HostPeer(place.start().peer);
    const env = { SHELL: '/bin/bash', HOME: root, PATH: process.env['PATH'] ?? '' };
    const uri = pathToFileURL(root).toString();
    await peer.initialize('c1', { ...testWindow, env });
    await peer.newSession({ workingDirectories: [uri] });
    await peer.request('createTerminal', { channel: CHANNEL, claim: { kind: 'client', clientId: 'c1' }, cwd: uri });
    await peer.subscribe(CHANNEL);
  });
  afterEach(async () => {
    await place.close();
    rmSync(root, { recursive: true, force: true });
  });

  const state = () => peer.states.get(CHANNEL) as TerminalState;
  const shown = () =>
    state()
      .content.map((it) => (it.type === 'command' ? it.output : it.value))
      .join('');
  const type = (data: string) => peer.act(CHANNEL, { type: 'terminal/input', data } as TerminalAction);

  it('runs terminals over pipes, and says so in them', async () => {
    assert.equal(state().isPty, false);
    await peer.until(() => shown().includes('This terminal runs over pipes'));
    await type('test -t 1 || echo "no $((40 + 2))x\x7f tty"\r');
    await peer.until(() => shown().includes('no 42 tty'));
    assert.match(shown(), /\r\n/);
    assert.doesNotMatch(shown(), /[^\r]\n/);
  });

  it('ends the program that runs in such a terminal at Ctrl+C, and its shell at the end of input', async () => {
    await type('echo begun-$((1 + 1)); sleep 300; echo over-$?\r');
    await peer.until(() => shown().includes('begun-2'));
    await type('\x03');
    await type('echo still-$((2 + 1))\r');
    await peer.until(() => shown().includes('still-3'));
    await type('\x04');
    await peer.until(() => state().exitCode !== undefined);
  });
});
