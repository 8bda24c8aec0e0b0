import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import { codeOf } from './fileFaults.ts';

/** Where a path leads, before anything is opened. What is judged is `real`; what is opened is looked at again. */
export interface Located {
  /** Without links on the way; of what is not there, its nearest real folder and the names below it. */
  readonly real: string;
  /** `link`: one that was not to be followed, or that leads nowhere. `other`: a socket, a device and the like. */
  readonly kind: 'file' | 'folder' | 'link' | 'other' | 'absent';
}

/**
 * @param follow whether a link in the last place is followed
 * @throws {Fault} `invalid_params` for a path that no file can have
 */
export async function locate(path: string, follow = true): Promise<Located> {
  if (path.includes('\0') || !isAbsolute(path)) throw new Fault('invalid_params', 'uri: not a file path');
  const whole = resolve(path);
  const followed = follow ? await realOf(whole) : undefined;
  const real = followed ?? join(await realFolder(dirname(whole)), basename(whole));
  return { real, kind: await kindOf(real) };
}

/** Whether `path` is `folder` or in it; both are real paths. */
export function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

export function isTop(path: string): boolean {
  return parse(path).root === path;
}

async function kindOf(real: string): Promise<Located['kind']> {
  try {
    const stats = await lstat(real);
    if (stats.isSymbolicLink()) return 'link';
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
  } catch (thrown) {
    if (isUnreachable(thrown)) return 'absent';
    throw thrown;
  }
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (isUnreachable(thrown)) return undefined;
    throw thrown;
  }
}

/** Of a folder that cannot be entered, the names below the nearest one that can: opening it fails later. */
async function realFolder(folder: string): Promise<string> {
  return (await realOf(folder)) ?? join(await realFolder(dirname(folder)), basename(folder));
}

function isUnreachable(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (code === 'ENAMETOOLONG') throw new Fault('invalid_params', 'uri: too long', { cause: thrown });
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM' || code === 'ELOOP';
}
