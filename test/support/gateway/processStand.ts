import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey } from '../../../sidecar/gateway/auth/keys.ts';
import { builtSidecar } from '../sidecar.ts';

export interface ProcessStandOptions {
  /** What `switchboard.jsonc` says. Default: nothing. */
  readonly config?: object;
  /** A connection string of a PostgreSQL. Default: each process has an SQLite database in its data directory. */
  readonly database?: string;
  /** Default: one is made. `'none'`: the processes are started without one. */
  readonly adminKey?: string;
  /** Beside PATH; nothing else of this machine is seen. */
  readonly env?: Readonly<Record<string, string>>;
  /** More flags of the command. */
  readonly flags?: readonly string[];
}

/** `switchboard gateway` as a process of its own, from the bundle that users get. */
export interface GatewayProcess {
  readonly name: string;
  readonly pid: number;
  readonly dataDir: string;
  /** As soon as it serves. @throws what it wrote on stderr, where it ended instead */
  readonly baseUrl: Promise<string>;
  /** Its exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  /** What it logged, and else wrote on its standard error. */
  readonly said: () => string;
  /** On its standard output. */
  readonly printed: () => string;
  signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGHUP' | 'SIGINT'): void;
}

/** The files of one gateway or of a team of replicas, and every process that was started with them. */
export interface ProcessStand {
  readonly folder: string;
  readonly files: { readonly config: string; readonly database: string };
  readonly adminKey: string;
  /** @param name of its data directory: the same again goes on with that data */
  start(name: string): GatewayProcess;
  /** Writes `switchboard.jsonc`. */
  configure(config: object): void;
  /** A management call of the administrator. @returns the body; throws for a status of 400 or more */
  manage<T = Record<string, unknown>>(base: string, method: string, path: string, body?: object): Promise<T>;
  /** Kills what still runs, and removes the files. */
  close(): Promise<void>;
}

/**
 * Gateways as processes of the built bundle, with files, sockets and a database of their own. For what a process has and a
 * function has not: command line, configuration file, certificates, signals, exit codes, kills, replicas that share a
 * database, memory. Everything else is seen faster, and with a clock that a test sets, with {@link openStand}.
 */
export function openProcessStand(options: ProcessStandOptions = {}): ProcessStand {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-processes-')));
  const { adminKey = newKey(randomBytes), database } = options;
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const configure = (wanted: object) => write('switchboard.jsonc', JSON.stringify(wanted, undefined, 2));
  const files = { config: configure(options.config ?? {}), database: write('database', `${database}\n`) };
  const flags = [
    ...['--config', files.config, '--secret-file', write('secret', `${randomBytes(32).toString('base64')}\n`)],
    ...(database === undefined ? [] : ['--database-file', files.database]),
    ...(adminKey === 'none' ? [] : ['--admin-key-file', write('admin', `${adminKey}\n`)]),
    ...(options.flags ?? []),
  ];
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, XDG_RUNTIME_DIR: folder, ...options.env };
  const started: GatewayProcess[] = [];
  return {
    folder,
    files,
    adminKey,
    configure: (it) => void configure(it),
    start(name) {
      const dataDir = join(folder, name);
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      const args = [builtSidecar, 'gateway', ...flags, '--data-dir', dataDir];
      const gateway = watch(name, dataDir, spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
      started.push(gateway);
      return gateway;
    },
    async manage<T>(base: string, method: string, path: string, body?: object) {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as T;
    },
    async close() {
      for (const it of started) it.signal('SIGKILL');
      await Promise.all(started.map((it) => it.exited));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function watch(name: string, dataDir: string, child: ChildProcess): GatewayProcess {
  let stderr = '';
  let stdout = '';
  child.stdout?.on('data', (it) => (stdout += it));
  child.stderr?.on('data', (it) => (stderr += it));
  const exited = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const baseUrl = addressOf(child, exited, () => stderr);
  baseUrl.catch(() => undefined); // whoever waits for it sees it
  return {
    name,
    pid: child.pid ?? 0,
    dataDir,
    baseUrl,
    exited,
    said: () => stderr,
    printed: () => stdout,
    signal: (it) => void child.kill(it),
  };
}

function addressOf({ stdout }: ChildProcess, exited: Promise<number | null>, said: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout?.on('data', (it) => {
      text += it;
      const [, address] = /^Switchboard gateway: (\S+)$/m.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    void exited.then((code) => reject(new Error(`the gateway ended with ${code}: ${said()}`)));
  });
}
