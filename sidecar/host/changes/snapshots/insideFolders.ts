import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import { fromBytes, toFs } from '../../files/rawPath.ts';
import { isMissing } from './contentStore.ts';

/**
 * The path by its real folder, when that lies in one of `folders` (absolute real paths); the last name is not followed,
 * nor need it exist. `undefined` when it lies elsewhere, or behind links that lead to each other: there is nothing.
 */
export async function realInside(path: string, folders: readonly string[]): Promise<string | undefined> {
  if (!isAbsolute(path) || path.includes('\0')) return undefined;
  const name = basename(path);
  if (name === '' || name === '..' || name === '.') return undefined;
  const above = await realFolder(dirname(path)).catch((thrown: unknown) => {
    if (isCircle(thrown)) return undefined;
    throw thrown;
  });
  const real = above && join(above, name);
  return real !== undefined && folders.some((folder) => isBelow(real, folder)) ? real : undefined;
}

/** Symbolic links on the path lead to each other. */
export const isCircle = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ELOOP';

/** @throws {Fault} `forbidden` */
export async function requireInside(path: string, folders: readonly string[]): Promise<string> {
  const real = await realInside(path, folders);
  if (real === undefined) throw new Fault('forbidden', "this file is outside the session's folders");
  return real;
}

export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Real paths of folders. One that is gone is where it was, so that what it held can be put back; a link to it is followed
 * all the same.
 */
export async function recordedFolders(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((it) => recordedFolder(it).catch(() => undefined))); // none of ours
  return found.filter((it) => it !== undefined);
}

async function recordedFolder(folder: string, links = 0): Promise<string> {
  try {
    return fromBytes(await realpath(toFs(folder), 'buffer'));
  } catch (thrown) {
    if (!isMissing(thrown) || dirname(folder) === folder) throw thrown;
  }
  const above = await recordedFolder(dirname(folder), links);
  const at = join(above, basename(folder));
  const target = links < 40 ? await readlink(at).catch(() => undefined) : undefined; // no link
  return target === undefined ? at : recordedFolder(resolve(above, target), links + 1);
}

/** The real path of the nearest folder that exists, with the names below it that do not. */
async function realFolder(folder: string): Promise<string> {
  try {
    return fromBytes(await realpath(toFs(folder), 'buffer'));
  } catch (thrown) {
    if (!isMissing(thrown) || dirname(folder) === folder) throw thrown;
    return join(await realFolder(dirname(folder)), basename(folder));
  }
}
