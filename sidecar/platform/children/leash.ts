import { type ChildProcess, execFile, spawn } from 'node:child_process';

export interface LeashRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Marks every descendant through its environment, so that one that left the group is still found. */
  readonly leashId: string;
  /** `merged`: standard error arrives on standard output, in the order in which it was written. */
  readonly stderr: 'separate' | 'merged';
}

/**
 * The child becomes leader of a group of its own (`detached`). A watcher in the same group holds the other end of
 * descriptor 3; at end of file, so also when the host was killed, it asks the group to end, and a second later ends it.
 * What left the group is found by the marker where there is `/proc`. `$$` is the group's leader even in the watcher.
 */
const script = `
escaped() {
  [ -d /proc/self ] || return 0
  for f in $(grep -lsaF "SWITCHBOARD_LEASH=$1" /proc/[0-9]*/environ); do f=\${f#/proc/}; kill "-$2" "\${f%/environ}"; done
}
( trap '' TERM HUP INT; read -r _ <&3; escaped "$1" TERM; kill -TERM -$$; sleep 1; escaped "$1" KILL; kill -KILL -$$ ) </dev/null >/dev/null 2>&1 &
exec 3<&-
SWITCHBOARD_LEASH=$1; export SWITCHBOARD_LEASH
merged=$2; shift 2
if [ "$merged" = merged ]; then exec "$@" 2>&1; fi
exec "$@"
`;

/** Starts a program whose whole group ends when the host lets go, or is gone. */
export type StartProgram = (request: LeashRequest) => ChildProcess;

/**
 * What starts programs here; Windows needs a library for it, which is loaded with the first one. The start itself answers
 * at once: a program tells that it runs before a promise made with it could settle, and then nobody would listen yet.
 */
export async function programStarter(platform: NodeJS.Platform = process.platform): Promise<StartProgram> {
  if (platform !== 'win32') return startInGroup;
  const { default: crossSpawn } = await import('cross-spawn');
  return (request) =>
    crossSpawn(request.command, [...request.args], {
      ...whereOf(request),
      env: { ...request.env, SWITCHBOARD_LEASH: request.leashId },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
}

function startInGroup(request: LeashRequest): ChildProcess {
  const child = spawn(
    '/bin/sh',
    ['-c', script, 'leash', request.leashId, request.stderr, request.command, ...request.args],
    {
      ...whereOf(request),
      env: { ...request.env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    },
  );
  child.stdio[3]?.on('error', () => undefined); // the watcher is gone first when the group was killed: nothing is lost
  return child;
}

function whereOf({ cwd }: LeashRequest): { readonly cwd?: string } {
  return cwd === undefined ? {} : { cwd };
}

/** Lets go: the watcher ends what is left of the group. On Windows the tree is ended at once. */
export function letGo(child: ChildProcess, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') {
    killTree(child, platform);
    return;
  }
  const held = child.stdio[3];
  if (held && 'end' in held) held.end();
  if (held) held.destroy();
}

/** Ends the group at once. */
export function killTree(child: ChildProcess, platform: NodeJS.Platform = process.platform): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (platform === 'win32') {
    execFile(...taskkill(pid), () => undefined); // it answers with an error when the tree is gone already
    return;
  }
  killGroup(pid);
}

/** The command that ends a tree on Windows. */
export function taskkill(pid: number): [command: string, args: string[]] {
  return ['taskkill', ['/PID', String(pid), '/T', '/F']];
}

/** @returns whether there was such a group */
export function killGroup(pgid: number): boolean {
  try {
    process.kill(-pgid, 'SIGKILL');
    return true;
  } catch {
    return false; // no such group any more
  }
}
