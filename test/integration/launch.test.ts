import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Build } from '../../sidecar/protocol/hostInfo.ts';
import { buildEchoSidecar } from '../support/echoHost/build.ts';
import { toFrame } from '../support/host/toFrame.ts';
import { isAlive, killTree, openSidecarPlace, type RunningSidecar, type SidecarPlace } from '../support/sidecar.ts';
import { until } from '../support/until.ts';

interface About {
  readonly pid: number;
  readonly build: Build;
  readonly env: Record<string, string>;
  readonly argv: readonly string[];
}
const about = async ({ peer }: RunningSidecar): Promise<About> => (await peer.sendRequest('about', {})) as About;

describe('relay and host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-builds-'));
  const olderBuild: Build = { version: '0.1.0', builtAtMs: 1 };
  const newerBuild: Build = { version: '0.1.0', builtAtMs: 2 };
  let older: string;
  let newer: string;
  let place: SidecarPlace;

  before(async () => {
    [older, newer] = await Promise.all([buildEchoSidecar(folder, olderBuild), buildEchoSidecar(folder, newerBuild)]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    place = openSidecarPlace(older);
  });
  afterEach(() => place.close());

  it('two relays that race start exactly one host', async () => {
    const relays = [1, 2, 3].map(() => place.start());
    const hosts = await Promise.all(relays.map(about));
    assert.equal(new Set(hosts.map((it) => it.pid)).size, 1);
    assert.equal(place.host()?.pid, hosts[0]?.pid);
  });

  it('a launcher says on stdout that its host can be reached, and exits', async () => {
    const { code, stdout, stderr } = await place.run(['launch']);
    assert.deepEqual([code, stdout, stderr], [0, 'ready\n', '']);
    assert.equal((await about(place.start())).pid, place.host()?.pid);
  });

  it('bytes pass both ways unchanged, in large messages too', async () => {
    const { peer } = place.start();
    const text = 'ü'.repeat(3_000_000);
    assert.deepEqual(await peer.sendRequest('echo', { text }), { text });
  });

  it('the host outlives a killed relay, and the next relay finds it', async () => {
    const first = place.start();
    const { pid } = await about(first);
    first.child.kill('SIGKILL');
    await first.exited;
    assert.equal((await about(place.start())).pid, pid);
  });

  it('the host outlives the process tree of its relay, killed as the language client does', async () => {
    const first = place.start();
    const { pid } = await about(first);
    killTree(first.pid);
    await first.exited;
    assert.equal((await about(place.start())).pid, pid);
  });

  it('a relay ends when its input ends, and the host goes on', async () => {
    const first = place.start();
    const { pid } = await about(first);
    first.endInput();
    assert.equal(await first.exited, 0);
    assert.equal(isAlive(pid), true);
  });

  it('what was asked before the input ended is answered', async () => {
    const question = toFrame('{"jsonrpc":"2.0","id":1,"method":"echo","params":{"last":true}}');
    const stdout = toFrame('{"jsonrpc":"2.0","id":1,"result":{"last":true}}');
    assert.deepEqual(await place.run(['--stdio'], question), { code: 0, stdout, stderr: '' });
  });

  it('a relay ends when the host is killed, and the next one starts a new host over the stale files', async () => {
    const first = place.start();
    const { pid } = await about(first);
    const socket = place.host()?.socket ?? '';
    assert.equal(await place.killHost(), pid);
    assert.equal(await first.exited, 0);
    assert.ok(existsSync(socket), 'a killed host leaves its socket');
    assert.ok(place.host(), 'a killed host leaves its host.json');
    assert.notEqual((await about(place.start())).pid, pid);
  });

  it('a host whose socket was cleaned away makes a new one, and its clients stay', async () => {
    const first = place.start();
    const { pid } = await about(first);
    const socket = place.host()?.socket ?? '';
    // In one step: the host makes its socket again while a folder is emptied, which is then not empty in the end.
    renameSync(dirname(socket), `${dirname(socket)}-cleaned`);
    await until('the socket is back', () => existsSync(socket));
    assert.equal((await about(place.start())).pid, pid);
    rmSync(socket);
    await until('the socket is back', () => existsSync(socket));
    assert.equal((await about(place.start())).pid, pid);
    assert.equal((await about(first)).pid, pid);
  });

  it('a host.json that is nonsense, or names a process that is none of ours, changes nothing', async () => {
    mkdirSync(place.dataDir, { recursive: true });
    writeFileSync(join(place.dataDir, 'host.json'), '{"pid":');
    const first = place.start();
    const { pid } = await about(first);
    await place.killHost();
    const file = { pid: process.pid, startedAt: 'x', socket: '/nowhere/host.sock', build: newerBuild };
    writeFileSync(join(place.dataDir, 'host.json'), JSON.stringify(file));
    assert.notEqual((await about(place.start())).pid, pid);
  });

  it('a relay finds a host that another environment started elsewhere', async () => {
    const { pid } = await about(place.start({ env: { XDG_RUNTIME_DIR: dirname(place.dataDir) } }));
    assert.equal((await about(place.start({ env: { XDG_RUNTIME_DIR: '' } }))).pid, pid);
  });

  it('the socket, its folder and the data are closed to others', async () => {
    mkdirSync(place.dataDir, { mode: 0o755 });
    await about(place.start());
    const socket = place.host()?.socket ?? '';
    assert.equal(mode(dirname(socket)), 0o700);
    assert.equal(mode(place.dataDir), 0o700);
    assert.equal(mode(join(place.dataDir, 'host.json')), 0o600);
    assert.equal(mode(join(place.dataDir, 'host.log')), 0o600);
  });

  it('a socket folder that is open to others is not used', async () => {
    await about(place.start());
    const host = place.host();
    await place.killHost();
    const socketFolder = dirname(host?.socket ?? '');
    rmSync(socketFolder, { recursive: true });
    writeFileSync(socketFolder, '');
    const { code, stderr } = await place.run(['--stdio']);
    assert.equal(code, 73);
    assert.match(
      stderr,
      /^Switchboard cannot use .*\. It must be a folder that belongs to you and that other users cannot access\.\n$/,
    );
  });

  it('the environment and the arguments of a window do not reach the host', async () => {
    const env = {
      CANARY_TOKEN: 'canary',
      NODE_OPTIONS: '--no-deprecation',
      VSCODE_PID: '1',
      ELECTRON_RUN_AS_NODE: '1',
    };
    const host = await about(place.start({ env }));
    const strangers = Object.keys(host.env).filter((it) => !/^(PATH|HOME|XDG_RUNTIME_DIR|NODE_CHANNEL_\w+)$/.test(it));
    assert.deepEqual(strangers, []);
    assert.deepEqual(host.argv.slice(2), ['host', '--data-dir', place.dataDir, '--socket', place.host()?.socket]);
  });

  it('an older build uses the newer host', async () => {
    const { pid } = await about(place.start({ entry: newer }));
    const host = await about(place.start({ entry: older }));
    assert.deepEqual({ pid: host.pid, build: host.build }, { pid, build: newerBuild });
  });

  it('an older build starts the newest build that is still on disk', async () => {
    const first = place.start({ entry: newer });
    await about(first);
    await place.killHost();
    assert.deepEqual((await about(place.start({ entry: older }))).build, newerBuild);
  });

  it('a build that was removed is not started any more', async () => {
    const removed = await buildEchoSidecar(folder, { version: '9.0.0', builtAtMs: 1 });
    await about(place.start({ entry: removed }));
    await place.killHost();
    rmSync(dirname(removed), { recursive: true });
    assert.deepEqual((await about(place.start({ entry: older }))).build, olderBuild);
  });

  it('a newest build that does not start does not keep the others from starting', async () => {
    const broken = join(folder, 'broken.mjs');
    writeFileSync(broken, 'throw new Error("broken");');
    mkdirSync(place.dataDir);
    const builds = [{ build: { version: '9.0.0', builtAtMs: 1 }, entry: broken }];
    writeFileSync(join(place.dataDir, 'build.json'), JSON.stringify({ builds }));
    assert.deepEqual((await about(place.start())).build, olderBuild);
  });

  it('a newer build replaces an idle host at once, and the older window comes to the new one', async () => {
    const first = place.start({ entry: older });
    const { pid } = await about(first);
    const host = await about(place.start({ entry: newer }));
    assert.notEqual(host.pid, pid);
    assert.deepEqual(host.build, newerBuild);
    assert.equal(await first.exited, 0);
    assert.equal((await about(place.start({ entry: older }))).pid, host.pid);
  });

  it('a newer build uses a busy older host, which says so and leaves when its turn is done', async () => {
    const first = place.start({ entry: older });
    await first.peer.sendRequest('busy', { isBusy: true });
    const { pid } = await about(first);
    const second = place.start({ entry: newer });
    assert.equal((await about(second)).pid, pid);
    const notices = (await second.peer.sendRequest('notices', {})) as { kind: string }[];
    assert.deepEqual(
      notices.map((it) => it.kind),
      ['newerBuildWaiting'],
    );
    await first.peer.sendRequest('busy', { isBusy: false });
    assert.deepEqual(await Promise.all([first.exited, second.exited]), [0, 0]);
    assert.deepEqual((await about(place.start({ entry: older }))).build, newerBuild);
  });

  it('a host leaves in order when it is told to: no socket, no host.json, lock free, all connections closed', async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const first = place.start();
      const { pid } = await about(first);
      const socket = place.host()?.socket ?? '';
      process.kill(pid, signal);
      assert.equal(await first.exited, 0);
      await until('the host is gone', () => !isAlive(pid));
      assert.equal(existsSync(socket), false);
      assert.equal(place.host(), undefined);
    }
    assert.match(readFileSync(join(place.dataDir, 'host.log'), 'utf8'), /"reason":"SIGHUP"/);
  });

  it('a host that nobody uses leaves after its time', async () => {
    const first = place.start();
    const { pid } = await about(first);
    await first.peer.sendRequest('idleExit', { minutes: 0 });
    first.endInput();
    await until('the host is gone', () => !isAlive(pid));
    assert.match(readFileSync(join(place.dataDir, 'host.log'), 'utf8'), /"reason":"no client was connected"/);
  });

  it('a busy host stays although nobody is there, and leaves when its turn is done', async () => {
    const first = place.start();
    await first.peer.sendRequest('idleExit', { minutes: 0 });
    await first.peer.sendRequest('busy', { isBusy: true });
    const { pid } = await about(first);
    first.endInput();
    await first.exited;
    const second = place.start();
    assert.equal((await about(second)).pid, pid);
    await second.peer.sendRequest('busy', { isBusy: false });
    second.endInput();
    await until('the host is gone', () => !isAlive(pid));
  });

  it('a client stops the host', async () => {
    const first = place.start();
    const { pid } = await about(first);
    await first.peer.sendRequest('stop', { restart: true });
    assert.equal(await first.exited, 0);
    await until('the host is gone', () => !isAlive(pid));
  });

  it('status tells about the host, stop ends an idle one and a busy one only with --force', async () => {
    assert.deepEqual(await place.run(['status']), {
      code: 69,
      stdout: 'No Switchboard host is running.\n',
      stderr: '',
    });
    const first = place.start();
    const { pid } = await about(first);
    await first.peer.sendRequest('busy', { isBusy: true });
    const status = JSON.parse((await place.run(['status'])).stdout) as { build: Build; status: object };
    const { startedAt } = place.host() ?? {};
    assert.deepEqual(status.build, olderBuild);
    assert.deepEqual(status.status, { pid, startedAt, clients: 1, busy: true, newerBuildWaiting: false });
    assert.match((await place.run(['stop'])).stdout, /"reason":"busy"/);
    assert.equal((await place.run(['stop', '--force'])).code, 0);
    await until('the host is gone', () => !isAlive(pid));
  });

  it('a data folder that cannot be made is one sentence on stderr and exit code 73', async () => {
    writeFileSync(dirname(place.dataDir).concat('/data'), 'a file');
    const { code, stdout, stderr } = await place.run(['--stdio']);
    assert.deepEqual({ code, stdout }, { code: 73, stdout: '' });
    assert.equal(stderr, `Switchboard cannot use its data folder ${place.dataDir}: a file is in its place (EEXIST).\n`);
  });

  it('a host that cannot start is one sentence on stderr', async () => {
    mkdirSync(join(place.dataDir, 'host.lock'), { recursive: true });
    const { code, stderr } = await place.run(['--stdio']);
    assert.equal(code, 69);
    assert.match(stderr, /^Switchboard cannot lock .*host\.lock: \w+\.\n$/);
  });

  it('a command line that means nothing says what is wrong with it on stderr, with exit code 2', async () => {
    for (const args of [[], ['--stdio', 'host'], ['nonsense'], ['--nonsense'], ['status', 'stop']]) {
      const { code, stderr } = await place.run(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /^[^\n]+\.\nUsage: switchboard /);
    }
  });

  it('--version prints the version, and what the language client adds is taken', async () => {
    const { code, stdout } = await place.run(['--version', '--clientProcessId=1']);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '0.1.0\n' });
  });
});

const mode = (path: string): number => statSync(path).mode & 0o777;
