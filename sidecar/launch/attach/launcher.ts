import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import * as z from 'zod';
import type { Runtime } from '../../platform/runtime.ts';
import { dataFiles } from '../dataDir.ts';
import { type ExitCode, exitCodes, LaunchFailure, reasonOf } from '../failure.ts';

/** What a starting host sends its launcher. */
export const HostReport = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ready') }),
  z.object({ state: z.literal('failed'), exitCode: z.int(), message: z.string() }),
]);
export type HostReport = z.infer<typeof HostReport>;

const MAX_LOG_BYTES = 4 * 1024 * 1024;

export interface LauncherDeps extends Pick<Runtime, 'timers'> {
  readonly execPath: string;
  readonly entry: string;
  readonly dataDir: string;
  readonly socket: string;
  /** From `hostEnvironment`. */
  readonly env: Record<string, string>;
  readonly deadlineMs: number;
  /** Tells whoever started this process that the host can be reached. */
  readonly ready: () => void;
}

/**
 * The process between a relay and the host: it starts the host in a session of its own, waits until it can be reached,
 * and exits, so that the system becomes the host's parent: what ends a window's process tree does not reach the host.
 * @throws {LaunchFailure} with the host's own reason, or `noHost`
 */
export function launchHost(deps: LauncherDeps): Promise<void> {
  const { dataDir, socket, entry } = deps;
  const logFile = dataFiles.log(dataDir);
  const log = openLogFile(logFile);
  const host = spawn(deps.execPath, [entry, 'host', '--data-dir', dataDir, '--socket', socket], {
    cwd: dataDir,
    env: deps.env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  return new Promise((resolve, reject) => {
    const fail = (exitCode: ExitCode, message: string): void => reject(new LaunchFailure(exitCode, message));
    const stopTimer = deps.timers.after(deps.deadlineMs, () => {
      host.kill('SIGKILL');
      fail(
        exitCodes.noHost,
        `The Switchboard host was not ready within ${deps.deadlineMs / 1000} seconds. See ${logFile}.`,
      );
    });
    host.once('error', (error) =>
      fail(exitCodes.noHost, `The Switchboard host cannot be started: ${reasonOf(error)}.`),
    );
    host.once('exit', (code, signal) =>
      fail(exitCodes.noHost, `The Switchboard host exited immediately (${signal ?? code}). See ${logFile}.`),
    );
    host.on('message', (raw) => {
      const report = HostReport.safeParse(raw).data;
      if (report?.state === 'failed') fail(toExitCode(report.exitCode), report.message);
      if (report?.state !== 'ready') return;
      stopTimer();
      host.removeAllListeners();
      host.disconnect();
      host.unref();
      deps.ready();
      resolve();
    });
  });
}

function toExitCode(code: number): ExitCode {
  return Object.values(exitCodes).find((it) => it === code) ?? exitCodes.noHost;
}

/** What the host and its runtime print. One older file is kept. */
function openLogFile(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}
