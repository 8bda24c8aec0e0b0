/** Of each half of the young generation, in MB. V8's own choice begins with 1 and grows to 32. */
const YOUNG_MB = 8;
const YOUNG_FLAG = '--max-semi-space-size';
/** One thread collects a young generation of this size faster than several that must coordinate. */
const SERVER_FLAGS = [`${YOUNG_FLAG}=${YOUNG_MB}`, `--min-semi-space-size=${YOUNG_MB}`, '--no-parallel-scavenge'];

/**
 * Restarts the process of a server, with the same process ID and {@link SERVER_FLAGS}, which cannot be changed later. A thousand
 * open streams then take 180 MB instead of 300, and calls take no longer. The restart takes 30 ms; fewer collections while modules
 * load win some of that back. Does nothing if a size was set on the command line or in `NODE_OPTIONS`, or if the system cannot
 * replace a process.
 *
 * A flag that changes code does not belong here: Node would then compile its own modules instead of using the code that it
 * contains, which takes as long as the restart.
 */
export function beginAsServer({ execArgv, execPath, argv, env, platform, execve }: NodeJS.Process): void {
  const isChosen = [...execArgv, env['NODE_OPTIONS'] ?? ''].some((it) => it.includes(YOUNG_FLAG));
  if (isChosen || platform === 'win32' || !execve) return;
  execve(execPath, [execPath, ...execArgv, ...SERVER_FLAGS, ...argv.slice(1)], env);
}
