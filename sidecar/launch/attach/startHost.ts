import { spawn } from 'node:child_process';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';
import { READY } from './readyLine.ts';

export interface StartHostDeps {
  readonly execPath: string;
  readonly dataDir: string;
  readonly socket: string;
  /** From `hostEnvironment`. */
  readonly env: Record<string, string>;
}

/**
 * Runs the launcher of a build. Any build understands `launch --data-dir D --socket S`, exits 0 once the host can be
 * reached, and otherwise prints one sentence on stderr and exits with one of `exitCodes`. Newer builds print the line `ready` on
 * stdout before they exit, because connecting takes as long as their exit.
 * @returns `locked` when another host is there, or still leaves: look for it again
 * @throws {LaunchFailure}
 */
export function startHost(deps: StartHostDeps, entry: string): Promise<'ready' | 'locked'> {
  const { execPath, dataDir, socket, env } = deps;
  const launcher = spawn(execPath, [entry, 'launch', '--data-dir', dataDir, '--socket', socket], {
    cwd: dataDir,
    env,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  launcher.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000);
  });
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => reject(new LaunchFailure(exitCodes.noHost, message));
    launcher.once('error', (error) => fail(`The Switchboard host cannot be started: ${reasonOf(error)}.`));
    let printed = '';
    launcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed = `${printed}${text}`.slice(-4_000);
      if (`\n${printed}`.includes(`\n${READY}`)) resolve('ready');
    });
    launcher.once('close', (code) => {
      if (code === exitCodes.ok) resolve('ready');
      else if (code === exitCodes.locked) resolve('locked');
      else fail(output.trim() || `The Switchboard host cannot be started (${code}).`);
    });
  });
}
