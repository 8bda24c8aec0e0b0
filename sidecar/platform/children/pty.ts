import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { IPty } from 'node-pty';
import { Fault } from '../faults.ts';
import { openPiped } from './pipedTerminal.ts';
import { processesMarked } from './processTable.ts';
import { SIGNAL_EXIT } from './signalExit.ts';

export interface PtyRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
  /** For a person. */
  readonly title: string;
  readonly session?: string;
}

/** A program that believes to sit at a terminal. */
export interface PtyChild {
  readonly pid: number;
  /** Whether the system gave it a terminal; otherwise it has pipes. */
  readonly isPty: boolean;
  /** A text for the person, shown first. */
  readonly notice?: string;
  /** Settles once the program itself ended; {@link SIGNAL_EXIT} plus its number if a signal ended it. */
  readonly exited: Promise<number>;
  onData(listener: (data: string) => void): void;
  write(data: string): void;
  resize(cols: number, rows: number): void;
  /** The program waits when it writes more. */
  pause(): void;
  resume(): void;
  /** Hangs up, waits up to 500 ms, then ends what is left. Settles within 1 s. Safe to call twice. */
  stop(): Promise<void>;
}

const GRACE_MS = 500;
const KILLED = SIGNAL_EXIT + 9;

/**
 * Opens a terminal of the system, or pipes where the package has no terminal module. The module is loaded with the first one.
 * @param leashId marks every descendant through its environment
 * @throws {Fault} `unavailable`
 */
export async function openPty(request: PtyRequest, leashId: string): Promise<PtyChild> {
  const { command, args, cwd, env, cols, rows, title } = request;
  try {
    const terminals = await import('node-pty').catch(() => undefined);
    if (!terminals) return await openPiped(request, leashId);
    const options = { name: 'xterm-256color', cwd, cols, rows, env: { ...env, SWITCHBOARD_LEASH: leashId } };
    return toPtyChild(terminals.spawn(command, [...args], options), leashId);
  } catch (cause) {
    throw new Fault('unavailable', `${title} could not be started.`, { cause });
  }
}

/** The shell that the person uses, where it is there; otherwise one that every system has. */
export function shellOf(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'win32') return env['COMSPEC'] ?? 'cmd.exe';
  const own = env['SHELL'];
  return own !== undefined && isAbsolute(own) && existsSync(own)
    ? own
    : existsSync('/bin/bash')
      ? '/bin/bash'
      : '/bin/sh';
}

/** @param pty whose `onExit` is not always called: rarely, under load, the library loses the end of a program */
export function toPtyChild(
  pty: Pick<IPty, 'pid' | 'onExit' | 'onData' | 'write' | 'resize' | 'pause' | 'resume' | 'kill'>,
  leashId: string,
): PtyChild {
  let hasExited = false;
  let settle: (exitCode: number) => void = () => undefined;
  const exited = new Promise<number>((resolve) => {
    settle = (exitCode) => {
      hasExited = true;
      resolve(exitCode);
    };
  });
  pty.onExit(({ exitCode, signal }) => settle(signal ? SIGNAL_EXIT + signal : exitCode));
  // A program that ended reads no more: `exited` settles.
  const whileRunning = (work: () => void) => {
    if (!hasExited) work();
  };
  return {
    pid: pty.pid,
    isPty: true,
    exited,
    onData: (listener) => void pty.onData(listener),
    write: (data) => whileRunning(() => pty.write(data)),
    resize: (cols, rows) => whileRunning(() => pty.resize(cols, rows)),
    pause: () => whileRunning(() => pty.pause()),
    resume: () => whileRunning(() => pty.resume()),
    async stop() {
      whileRunning(() => pty.resume());
      whileRunning(() => pty.kill());
      const forced = setTimeout(() => end([pty.pid]), GRACE_MS);
      const lost = setTimeout(() => settle(KILLED), 2 * GRACE_MS);
      await exited;
      clearTimeout(forced);
      clearTimeout(lost);
      end(processesMarked(leashId));
    },
  };
}

function end(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
    }
  }
}
