import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, type Readable } from 'node:stream';
import { type HostFile, readHostFile } from '../../sidecar/launch/attach/hostFile.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { PeerConnection } from '../../sidecar/transport/peer.ts';
import { childrenOf, endProcess, endProcessesMentioning, processesMentioning } from './editor/processes.ts';
import { until } from './until.ts';

/** The bundle that users get. */
export const builtSidecar = join(import.meta.dirname, '../../dist/sidecar/main.mjs');

/** A data directory of its own, and everything that runs on it. Close it after each test. */
export interface SidecarPlace {
  readonly dataDir: string;
  /** Starts a relay, as the extension does. The connection is open; nothing was sent yet. */
  start(options?: { entry?: string; env?: Record<string, string>; args?: readonly string[] }): RunningSidecar;
  /** Runs a role to its end, with the given text as its whole input. */
  run(args: readonly string[], input?: string): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Starts a role that goes on. It is killed when the place is closed. */
  spawn(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): ChildProcess & { stdout: Readable; stderr: Readable };
  /** What `host.json` says; the host may be dead. */
  host(): HostFile | undefined;
  /** Kills the host as a crash does, and waits until it is gone. @returns its pid */
  killHost(): Promise<number>;
  /** Kills all that was started, and removes the folders. */
  close(): Promise<void>;
}

export interface RunningSidecar {
  readonly pid: number;
  readonly peer: PeerConnection;
  readonly child: ChildProcess;
  /** Settles with the exit code, or null after a signal. */
  readonly exited: Promise<number | null>;
  readonly stderr: () => string;
  /** Ends stdin, as a window that closes does. */
  endInput(): void;
}

/** @param given a data directory that somebody else made, and removes; the host may be theirs too */
export function openSidecarPlace(defaultEntry: string = builtSidecar, given?: string): SidecarPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-')));
  const dataDir = given ?? join(root, 'data');
  const env = { ...plainEnv(), XDG_RUNTIME_DIR: root };
  const running: { readonly child: ChildProcess; readonly exited: Promise<number | null> }[] = [];
  const host = (): HostFile | undefined => readHostFile(dataDir);
  const killHost = async (): Promise<number> => {
    const pid = host()?.pid;
    if (pid === undefined) throw new Error('there is no host.json');
    endProcess(pid);
    await until(`host ${pid} is gone`, () => !isAlive(pid));
    return pid;
  };
  return {
    dataDir,
    host,
    killHost,
    start({ entry = defaultEntry, env: more = {}, args = [] } = {}) {
      const child = spawn(process.execPath, [entry, '--stdio', '--data-dir', dataDir, ...args], {
        env: { ...env, ...more },
        stdio: 'pipe',
      });
      const sidecar = watch(child);
      running.push(sidecar);
      return sidecar;
    },
    spawn(args, more = {}) {
      const whole = { ...env, ...more };
      const child = spawn(process.execPath, [defaultEntry, ...args, '--data-dir', dataDir], {
        env: whole,
        stdio: 'pipe',
      });
      const exited = new Promise<number | null>((resolve) => void child.once('close', (code) => resolve(code)));
      running.push({ child, exited });
      return child;
    },
    run(args, input = '') {
      const child = spawn(process.execPath, [defaultEntry, ...args, '--data-dir', dataDir], { env, stdio: 'pipe' });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (it) => (stdout += it));
      child.stderr.on('data', (it) => (stderr += it));
      child.stdin.on('error', () => undefined); // it may end before it read its input
      child.stdin.end(input);
      return new Promise((resolve) => void child.on('close', (code) => resolve({ code, stdout, stderr })));
    },
    async close() {
      for (const it of running) it.child.kill('SIGKILL');
      await Promise.all(running.map((it) => it.exited));
      endProcessesMentioning(dataDir);
      await until(`nothing runs on ${dataDir}`, () => processesMentioning(dataDir).length === 0);
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function watch(child: ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream }): RunningSidecar {
  let stderr = '';
  child.stderr?.on('data', (it) => (stderr += it));
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  const peer = PeerConnection.overStream(stream, {
    timers: systemTimers,
    toError: (thrown) => ({ code: -32603, message: String(thrown) }),
  });
  peer.listen();
  const exited = new Promise<number | null>((resolve) => void child.once('close', (code) => resolve(code)));
  return { pid: child.pid ?? 0, peer, child, exited, stderr: () => stderr, endInput: () => child.stdin.end() };
}

/** What a test's child may know of this machine. */
function plainEnv(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Where nobody reaps orphans, a killed host stays as a zombie.
  return !/\) Z /.test(readText(`/proc/${pid}/stat`));
}

/** Ends a process and all its descendants, found by their parents: what vscode-languageclient does 2 s after a stop. */
export function killTree(pid: number): void {
  for (const child of childrenOf(pid)) killTree(child);
  endProcess(pid);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it ended while we looked
  }
}
