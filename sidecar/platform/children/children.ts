import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { Fault } from '../faults.ts';
import { emptyFolder } from './emptyFolder.ts';
import { killTree, letGo, programStarter } from './leash.ts';
import { type ProcessRow, processesMarked, processTable } from './processTable.ts';
import { alive, descendantsOf } from './processTree.ts';
import type { PtyChild, PtyRequest } from './pty.ts';
import { type RegisteredChild, writeRegistry } from './registry.ts';

/** What a program needs in addition to the folders of its session, if the session has a sandbox. */
export interface ConfinedNeeds {
  /** Absolute paths of its own state, which it can also write. */
  readonly writes?: readonly string[];
  /** Absolute paths within {@link writes} that it can only read. */
  readonly protects?: readonly string[];
  /** Ports on this machine that it can reach. */
  readonly ports?: readonly number[];
  /**
   * Names of the variables that it gets in addition to the plain ones. Absent if its environment does not contain all variables
   * of a window.
   */
  readonly variables?: readonly string[];
  /** It runs in Node.js and does not read the variables of the proxy itself. */
  readonly isNode?: boolean;
}

export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly role: 'agent' | 'tool';
  /** For a person: "Claude", or the first words of a command. */
  readonly title: string;
  readonly session?: string;
  readonly stderr?: 'separate' | 'merged';
  readonly confined?: ConfinedNeeds;
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface LeashedChild {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles once the program itself ended; its output is complete then. */
  readonly exited: Promise<ExitStatus>;
  /** The last 8 KB of standard error without escape sequences; empty when it is merged. */
  stderrTail(): string;
  /** Asks, waits up to `graceMs` (500), then ends the whole group. Safe to call twice. */
  stop(graceMs?: number): Promise<void>;
}

export interface ProcessEntry {
  readonly pid: number;
  readonly role: 'host' | 'agent' | 'tool';
  readonly title: string;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  /** Of the child with all it started; absent where the system does not report it. */
  readonly memoryBytes?: number;
  readonly session?: string;
}

/** Starts every child of the host, and knows which ones there are. */
export interface Children {
  /** @throws {Fault} `unavailable` when the program cannot be started (no such folder, no permission) */
  spawn(request: SpawnRequest): Promise<LeashedChild>;
  /** A program at a terminal. @throws {Fault} `unavailable` */
  openPty(request: PtyRequest): Promise<PtyChild>;
  list(): readonly ProcessEntry[];
  /** Ends all of them; the host's last act. */
  stopAll(): Promise<void>;
}

const maxTailBytes = 8 * 1024;
/** How long output may still be read after the program ended, when something it started keeps the pipe open. */
const drainMs = 200;

/** @param registryFile `children.json` in the data directory; see {@link sweepChildren} for what it is good for */
export function openChildren(registryFile: string, now: () => string): Children {
  const running = new Map<LeashedChild | PtyChild, RegisteredChild>();
  const save = () => writeRegistry(registryFile, [...running.values()]);
  const register = (
    child: LeashedChild | PtyChild,
    leashId: string,
    role: RegisteredChild['role'],
    { title, session }: Pick<SpawnRequest, 'title' | 'session'>,
  ) => {
    running.set(child, {
      leashId,
      pid: child.pid,
      startedMark: processTable().find((it) => it.pid === child.pid)?.startedMark ?? '',
      startedAt: now(),
      role,
      title,
      ...(session !== undefined && { session }),
    });
    save();
    void child.exited.then(() => {
      running.delete(child);
      save();
    });
  };

  return {
    async spawn(request) {
      const leashId = randomUUID();
      const cwd = request.cwd ?? emptyFolder(dirname(registryFile));
      const start = await programStarter();
      const process = start({ ...request, cwd, leashId, stderr: request.stderr ?? 'separate' });
      const pid = await started(process, request.title);
      const child = leashed(process, pid, leashId);
      register(child, leashId, request.role, request);
      return child;
    },
    async openPty(request) {
      const leashId = randomUUID();
      const { openPty } = await import('./pty.ts');
      const child = await openPty(request, leashId);
      register(child, leashId, 'tool', request);
      return child;
    },
    list() {
      if (running.size === 0) return [];
      const table = processTable();
      return [...running.values()].map(({ pid, role, title, startedAt, session }) => {
        const group = table.filter((it) => it.pgid === pid);
        const memoryBytes = group.reduce((sum, it) => sum + it.memoryBytes, 0);
        return {
          pid,
          role,
          title,
          startedAt,
          ...(group.length > 0 && { memoryBytes }),
          ...(session !== undefined && { session }),
        };
      });
    },
    async stopAll() {
      await Promise.all([...running.keys()].map((it) => it.stop()));
    },
  };
}

function started(child: ChildProcess, title: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid!));
    child.once('error', (cause) => reject(new Fault('unavailable', `${title} could not be started.`, { cause })));
  });
}

function leashed(child: ChildProcess, pid: number, leashId: string): LeashedChild {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('a child process was started without pipes');
  let tail = Buffer.alloc(0);
  stderr.on('data', (data: Buffer) => {
    tail = Buffer.concat([tail, data]).subarray(-maxTailBytes);
  });
  stdin.on('error', () => undefined); // a child that ended does not read: `exited` settles
  let hasExited = false;
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once('exit', (code, signal) => {
      hasExited = true;
      letGo(child);
      const drained = setTimeout(() => stdout.destroy(), drainMs);
      const done = () => {
        clearTimeout(drained);
        resolve({ code, signal });
      };
      if (stdout.closed) done();
      else stdout.once('close', done);
      stdout.resume();
    });
  });
  return {
    pid,
    stdin,
    stdout,
    exited,
    stderrTail: () => stripVTControlCharacters(tail.toString('utf8')),
    async stop(graceMs = 500) {
      stdin.end();
      if (hasExited) {
        endMarked(leashId); // the watcher ended its group, whose ID may be another group's by now
        return;
      }
      // Who it is that belongs to it, while parents still say so: one with an environment and a session of its own has no mark.
      let started: readonly ProcessRow[] = descendantsOf(pid);
      terminate(pid);
      const forced = setTimeout(() => {
        started = [...started, ...descendantsOf(pid)];
        endAll(child, leashId);
      }, graceMs);
      await exited;
      clearTimeout(forced);
      endAll(child, leashId);
      endLeft(started);
    },
  };
}

function terminate(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

function endAll(child: ChildProcess, leashId: string): void {
  killTree(child);
  endMarked(leashId);
}

function endMarked(leashId: string): void {
  for (const pid of processesMarked(leashId)) kill(pid);
}

/** Those that outlived the group and the mark, with what they started since. */
function endLeft(started: readonly ProcessRow[]): void {
  if (started.length === 0) return;
  const table = processTable();
  for (const it of alive(started, table)) for (const { pid } of [...descendantsOf(it.pid, table), it]) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}
