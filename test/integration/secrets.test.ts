import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { AgentSetting, WindowInfo } from '../../sidecar/protocol/window.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { commandLines, filesIn, hasProc, readIfThere, rowsIn } from '../support/leaks.ts';
import { openSidecarPlace, type RunningSidecar, type SidecarPlace } from '../support/sidecar.ts';
import { until } from '../support/until.ts';

const leaky = fileURLToPath(new URL('./peers/acp/leaky.ts', import.meta.url));
const agent = (id: string, ...flags: string[]): AgentSetting => ({
  id,
  displayName: id,
  command: process.execPath,
  args: [leaky, ...flags],
  env: ['FAKE_*'],
});

describe('secrets', () => {
  let place: SidecarPlace;
  let folder: string;
  let canaries: Record<'key' | 'account' | 'unrelated' | 'token', string>;
  let relays: { readonly sidecar: RunningSidecar; heard: string }[];

  beforeEach(() => {
    place = openSidecarPlace();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-ws-')));
    const canary = (name: string) => `canary-${name}-${randomUUID()}`;
    canaries = {
      key: canary('key'),
      account: canary('account'),
      unrelated: canary('unrelated'),
      token: canary('token'),
    };
    relays = [];
  });
  afterEach(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A client whose every byte from the host is kept. */
  async function connect(window: Partial<WindowInfo> = {}): Promise<HostPeer> {
    const sidecar = place.start();
    const relay = { sidecar, heard: '' };
    relays.push(relay);
    sidecar.child.stdout?.on('data', (data: Buffer) => (relay.heard += data.toString('latin1')));
    const peer = new HostPeer(sidecar.peer);
    await peer.initialize(randomUUID(), { ...testWindow, folders: [pathToFileURL(folder).href], ...window });
    return peer;
  }
  function secretWindow(): Partial<WindowInfo> {
    const { key, account, unrelated } = canaries;
    const { PATH = '' } = process.env;
    return {
      env: { PATH, HOME: folder, FAKE_API_KEY: key, FAKE_ACCOUNT: account, UNRELATED: unrelated },
      agents: [agent('leaky'), agent('dead', '--dies'), agent('refusing', '--refuses'), missing],
    };
  }
  const session = (peer: HostPeer, provider: string) =>
    peer.newSession({ provider, workingDirectories: [pathToFileURL(folder).href] });

  /** Where a canary is, of all places in which it must not be. */
  function found(): string[] {
    const places = [
      ...filesIn(place.dataDir),
      ...rowsIn(join(place.dataDir, 'host.db')),
      ...commandLines(),
      ...relays.map(({ heard }, n) => ({ name: `wire of client ${n}`, text: heard })),
      ...relays.map(({ sidecar }, n) => ({ name: `stderr of relay ${n}`, text: sidecar.stderr() })),
    ];
    for (const name of ['host.db', 'host.db-wal', 'host.journal', 'host.log'])
      assert.ok(
        places.some((it) => it.name === name),
        `${name} was looked at`,
      );
    return places.flatMap(({ name, text }) =>
      Object.entries(canaries).flatMap(([canary, value]) => (text.includes(value) ? [`${canary} in ${name}`] : [])),
    );
  }

  it('of an agent are in no file, row, log, argument, message or error, through failures and a restart', async () => {
    const peer = await connect(secretWindow());
    const { session: id, chat } = await session(peer, 'leaky');
    const watcher = await connect();
    await watcher.subscribe(id);
    await watcher.subscribe(chat);

    const told = await peer.ended(chat, await peer.prompt(chat, 'tell'));
    const { items } = await peer.request('x-switchboard/processes', { channel: ROOT });
    const { pid } = items.find((it) => it.role === 'agent')!;
    if (hasProc) assert.ok(readIfThere(`/proc/${pid}/environ`).includes(canaries.key), 'the agent has its key');
    assert.match(
      JSON.stringify(told.responseParts),
      /My key is \[hidden\], do not tell\..*Use \[hidden\].*KEY=\[hidden\]/,
    );
    const refused = await peer.ended(chat, await peer.prompt(chat, 'fail'));
    assert.equal(refused.error?.message, 'leaky reported an error: the key [removed] of [removed] was refused');
    const crashed = await peer.ended(chat, await peer.prompt(chat, 'crash'));
    assert.match(
      crashed.error?.message ?? '',
      /exit code 7.*: .*fatal: the key \[removed\] of \[removed\] was refused/s,
    );
    for (const provider of ['dead', 'refusing', 'missing']) {
      const failed = await session(peer, provider);
      const { lifecycle, creationError } = peer.session(failed.session);
      assert.equal(lifecycle, 'creationFailed', provider);
      if (provider !== 'missing') assert.match(creationError?.message ?? '', /the key \[removed\] of \[removed\]/);
      await watcher.subscribe(failed.session);
    }
    await peer.prompt(chat, 'wait');
    await peer.until(() => peer.chat(chat).activeTurn !== undefined);
    assert.deepEqual(found(), []);

    await place.killHost();
    assert.deepEqual(found(), []);
    const later = await connect(secretWindow());
    await later.subscribe(chat);
    await later.ended(chat, await later.prompt(chat, 'crash'));
    await later.ended(chat, await later.prompt(chat, 'tell'));
    assert.deepEqual(found(), []);
    for (const { sidecar } of relays) sidecar.endInput();
    await place.run(['stop', '--force']);
    await until('the host is gone', () => place.host() === undefined);
    assert.deepEqual(
      [...filesIn(place.dataDir)].flatMap(({ name, text }) => (text.includes('canary-') ? [name] : [])),
      [],
    );
  });

  it('that a client pushes, or gets wrong, are in no answer and no log', async () => {
    const peer = await connect(secretWindow());
    const { token, account } = canaries;
    const resource = 'https://api.example';
    const answers = await Promise.allSettled([
      peer.request('authenticate', { channel: ROOT, resource, token }),
      peer.request('authenticate', { channel: ROOT, resource: [token], token: { token } } as never),
      peer.request('authenticate', { channel: ROOT, resource: token, token }),
      peer.request('createSession', { channel: token, provider: 'leaky' }),
    ]);
    for (const it of answers) {
      assert.equal(it.status, 'rejected');
      assert.doesNotMatch(JSON.stringify([String(it.reason), it.reason]), /canary/);
    }
    const window = { ...testWindow, env: { FAKE_ACCOUNT: [account] }, agents: [{ id: account }], rules: token };
    peer.peer.sendNotification('x-switchboard/windowChanged', { channel: ROOT, window });
    await peer.request('ping', { channel: ROOT });
    await until('the log has it', () => readFileSync(join(place.dataDir, 'host.log'), 'utf8').includes('malformed'));
    assert.deepEqual(found(), []);
  });
});

const missing: AgentSetting = { ...agent('missing'), command: '/nonexistent/agent' };
