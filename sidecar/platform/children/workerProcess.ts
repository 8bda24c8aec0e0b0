import { type ChildProcess, fork } from 'node:child_process';

/**
 * Starts this program again as a part of itself, with the same options of Node.js. It writes only on standard error, and
 * learns from its closed channel that this process has ended.
 *
 * @param entry the file that starts it
 */
export const startWorkerProcess = (
  entry: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ChildProcess =>
  fork(entry, args, { env: { ...env }, serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
