import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import { isMissing } from './contentStore.ts';

/**
 * The path by its real folder, when that lies in one of `folders` (absolute real paths); the last name is not followed,
 * nor need it exist. `undefined` when it lies elsewhere.
 */
export async function realInside(path: string, folders: readonly string[]): Promise<string | undefined> {
  if (!isAbsolute(path) || path.includes('\0')) return undefined;
  const name = basename(path);
  if (name === '' || name === '..' || name === '.') return undefined;
  const real = join(await realFolder(dirname(path)), name);
  return folders.some((folder) => isBelow(real, folder)) ? real : undefined;
}

/** @throws {Fault} `forbidden` */
export async function requireInside(path: string, folders: readonly string[]): Promise<string> {
  const real = await realInside(path, folders);
  if (real === undefined) throw new Fault('forbidden', 'this file is outside the folders of the session');
  return real;
}

export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of the nearest folder that exists, with the names below it that do not. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (thrown) {
    if (!isMissing(thrown) || dirname(folder) === folder) throw thrown;
    return join(await realFolder(dirname(folder)), basename(folder));
  }
}
