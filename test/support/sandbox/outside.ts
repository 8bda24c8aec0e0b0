import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files, services, and a process that a program in a sandbox must not reach. */
export interface Outside {
  readonly work: string;
  readonly dataDir: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Descriptor of an open file with a secret. */
  readonly file: number;
  /** Restores the files and starts a new process. */
  renew(): void;
  close(): Promise<void>;
}

export async function openOutside(): Promise<Outside> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-outside-')));
  const at = (...parts: string[]) => join(root, ...parts);
  const [work, out, home, dataDir] = [at('repository'), at('out'), at('home'), at('data')];
  const mark = `sandbox-mark-${process.pid}`;
  const servers = await services(at('socket'), mark);
  let victim: ChildProcess | undefined;
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    NODE: process.execPath,
    WORK: work,
    OUT: out,
    DATA: dataDir,
    OTHER: at('repository.worktrees', 'other'),
    MARK: mark,
    SOCKET: at('socket'),
    PLANTED_TOKEN: 'secret',
    SSH_AUTH_SOCK: at('socket'),
    ...servers.env,
  };
  const renew = () => {
    victim?.kill('SIGKILL');
    victim = spawn('sleep', ['600'], { env: { ...env, HELD: 'secret' }, stdio: 'ignore' });
    env['VICTIM'] = String(victim.pid);
    for (const it of [work, out, join(dataDir, 'planted')])
      rmSync(it, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    for (const it of [`/tmp/${mark}`, `/dev/shm/${mark}`]) rmSync(it, { force: true });
    for (const it of ['.ssh', '.aws', '.local/bin', '.otheragent']) mkdirSync(join(home, it), { recursive: true });
    for (const it of [
      join(work, '.git', 'hooks'),
      join(work, '.vscode'),
      join(work, '.claude'),
      out,
      dataDir,
      env['OTHER']!,
    ])
      mkdirSync(it, { recursive: true });
    const secrets = ['.ssh/id_ed25519', '.aws/credentials', '.git-credentials', '.otheragent/auth.json'];
    for (const it of secrets.map((name) => join(home, name))) writeFileSync(it, 'secret\n');
    for (const it of [join(dataDir, 'host.db'), join(env['OTHER']!, 'file')]) writeFileSync(it, 'secret\n');
    writeFileSync(join(work, '.git', 'config'), '');
    writeFileSync(join(out, 'kept'), 'kept\n');
    writeFileSync(join(home, '.bashrc'), '');
  };
  renew();
  const file = openSync(join(home, '.ssh', 'id_ed25519'), 'r');
  return {
    work,
    dataDir,
    home,
    env,
    file,
    renew,
    async close() {
      victim?.kill('SIGKILL');
      closeSync(file);
      await servers.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Services for HTTP, datagrams, and local sockets. Each answers every client. */
async function services(path: string, mark: string) {
  const web = createServer((_request, response) => response.end('outside')).on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  );
  web.listen(0, '0.0.0.0');
  const local = createNetServer((socket) => socket.end('outside')).listen(path);
  const abstract = createNetServer((socket) => socket.end('outside')).listen({ path: `\0${mark}` });
  const names = createSocket('udp4').bind(0, '0.0.0.0');
  names.on('message', (_message, from) => names.send('outside', from.port, from.address));
  const listening: (Server | NetServer)[] = [web, local, abstract];
  const sockets = new Set<Socket>();
  for (const it of listening)
    it.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
  await Promise.all([...listening, names].map((it) => once(it, 'listening')));
  const own = Object.values(networkInterfaces()).flat();
  return {
    env: {
      OTHER_PORT: String((web.address() as AddressInfo).port),
      UDP_PORT: String(names.address().port),
      ADDRESS: own.find((it) => it?.family === 'IPv4' && !it.internal)?.address ?? '127.0.0.1',
    },
    async close() {
      names.close();
      for (const it of sockets) it.destroy();
      await Promise.all(listening.map((it) => new Promise((resolve) => void it.close(resolve))));
    },
  };
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program with an open descriptor 3. */
export async function run(
  command: string,
  args: readonly string[],
  { work, file }: Outside,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const child = spawn(command, [...args], { cwd: work, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe', file] });
  let output = '';
  for (const it of [child.stdout, child.stderr]) it?.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Whether a condition of `sh` holds outside. */
export function holds(condition: string, { env }: Outside): boolean {
  return spawnSync('sh', ['-c', `[ ${condition} ]`], { cwd: '/', env: { ...env } }).status === 0;
}
