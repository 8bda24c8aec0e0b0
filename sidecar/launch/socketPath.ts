import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exitCodes, LaunchFailure, reasonOf } from './failure.ts';

/** The address of a Unix socket takes 103 bytes on macOS and 107 on Linux; one limit for both. */
const MAX_PATH_BYTES = 103;

export interface SocketPathDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tmpdir: string;
  readonly platform: string;
}

/**
 * Where the host of a data directory listens: in XDG_RUNTIME_DIR or the temporary folder, in a folder named by a hash of
 * the data directory, because data directories are longer than a socket's path may be. On Windows a named pipe.
 */
export function socketPath(dataDir: string, { env, tmpdir, platform }: SocketPathDeps): string {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  if (platform === 'win32') return `\\\\.\\pipe\\switchboard-${hash}`;
  const runtime = env['XDG_RUNTIME_DIR'];
  const bases = [...(runtime?.startsWith('/') ? [runtime] : []), tmpdir, '/tmp'];
  const paths = bases.map((base) => join(base, `switchboard-${hash}`, 'host.sock'));
  return paths.find((path) => Buffer.byteLength(path) <= MAX_PATH_BYTES) ?? paths.at(-1)!;
}

/** @throws {LaunchFailure} `badFolder` when it cannot be made, or when it is not ours alone */
export function openSocketFolder(socket: string, uid: number | undefined): void {
  if (uid === undefined) return;
  const folder = dirname(socket);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { mode, uid: owner } = lstatSync(folder);
    if (owner === uid && (mode & 0o077) !== 0) chmodSync(folder, 0o700);
  } catch (thrown) {
    throw new LaunchFailure(
      exitCodes.badFolder,
      `Switchboard cannot use the folder ${folder}: ${reasonOf(thrown)}.`,
      thrown,
    );
  }
  checkSocketFolder(socket, uid);
}

/**
 * The temporary folder is open to all: whoever made ours first could answer in the host's name, and would be told the
 * window's environment. So both sides look before they use it. A folder that is not there yet is fine.
 */
export function checkSocketFolder(socket: string, uid: number | undefined): void {
  if (uid === undefined) return;
  const folder = dirname(socket);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return;
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
  const message = `Switchboard cannot use ${folder}. It must be a folder that belongs to you and that other users cannot access.`;
  throw new LaunchFailure(exitCodes.badFolder, message);
}
