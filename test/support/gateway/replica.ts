import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtSidecar } from '../sidecar.ts';

export interface ReplicaFiles {
  /** Of the run: each replica has a data directory in it. */
  readonly folder: string;
  readonly config: string;
  readonly database: string;
  readonly secret: string;
  /** Absent: it is started without one. */
  readonly adminKey: string | undefined;
}

/** `switchboard gateway` as a process of its own, from the bundle that users get. */
export interface Replica {
  readonly name: string;
  /** As soon as it serves. @throws what it said on stderr, where it ended instead */
  readonly baseUrl: Promise<string>;
  /** Its exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  /** What it logged and said. */
  readonly said: () => string;
  /** On its standard output. */
  readonly printed: () => string;
  signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGHUP' | 'SIGINT'): void;
}

export function startReplica(name: string, files: ReplicaFiles): Replica {
  const dataDir = join(files.folder, name);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const words = ['--config', files.config, '--database-file', files.database];
  const secrets = ['--secret-file', files.secret, ...(files.adminKey ? ['--admin-key-file', files.adminKey] : [])];
  const { PATH = '' } = process.env;
  const child = spawn(
    process.execPath,
    [builtSidecar, 'gateway', ...words, ...secrets, '--data-dir', dataDir],
    // Away from everything that is on this machine.
    { env: { PATH, HOME: files.folder, XDG_RUNTIME_DIR: files.folder }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stderr = '';
  let stdout = '';
  child.stdout.on('data', (it) => (stdout += it));
  child.stderr.on('data', (it) => (stderr += it));
  const exited = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const baseUrl = addressOf(child, exited, () => stderr);
  baseUrl.catch(() => undefined); // whoever waits for it hears of it
  return { name, baseUrl, exited, said: () => stderr, printed: () => stdout, signal: (it) => void child.kill(it) };
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
