import { accessSync, chmodSync, constants, mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, LaunchFailure, reasonOf } from './failure.ts';

/**
 * Makes the data directory where it is missing, and closes it to others (0700).
 * @returns its real path, so that every spelling of one folder means one host
 * @throws {LaunchFailure} `badFolder` when it cannot be made or written
 */
export function openDataDir(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const real = realpathSync.native(path);
    if ((statSync(real).mode & 0o077) !== 0) chmodSync(real, 0o700);
    accessSync(real, constants.R_OK | constants.W_OK | constants.X_OK);
    return real;
  } catch (thrown) {
    const message = `Switchboard cannot use its data folder ${path}: ${reasonOf(thrown)}.`;
    throw new LaunchFailure(exitCodes.badFolder, message, thrown);
  }
}

/** Where a person's data lies when nobody says: the command line without `--data-dir`. */
export function defaultDataDir(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: string,
): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'switchboard');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'switchboard');
  const xdg = env['XDG_DATA_HOME'];
  return join(xdg?.startsWith('/') ? xdg : join(home, '.local', 'share'), 'switchboard');
}

/** Names inside the data directory. */
export const dataFiles = {
  lock: (dataDir: string) => join(dataDir, 'host.lock'),
  host: (dataDir: string) => join(dataDir, 'host.json'),
  builds: (dataDir: string) => join(dataDir, 'build.json'),
  log: (dataDir: string) => join(dataDir, 'host.log'),
} as const;
