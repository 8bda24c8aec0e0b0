import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import { folderNeeded } from '../folderNeeded.ts';

/**
 * The real path of a file of the session, which need not exist. Links are followed as far as they exist.
 *
 * @param folders absolute real paths; a relative `path` belongs to the first
 * @throws {Fault} `forbidden` outside the folders, `folder_needed` without folders
 */
export async function insideFolders(path: string, folders: readonly string[]): Promise<string> {
  const first = folders[0];
  if (first === undefined) throw folderNeeded();
  const real = await realPathOf(resolve(first, path));
  if (!folders.some((it) => isWithin(real, it) && relative(it, real) !== ''))
    throw new Fault('forbidden', `${path} is outside this session's folders. Use a path inside one of them.`);
  return real;
}

/** Whether a path is a folder or is in it. Both are real paths. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  // On Windows, the way to another drive is absolute.
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The text of a file, `undefined` if it does not exist. @throws {Fault} `invalid_params` if it is not UTF-8 text */
export async function readTextOrNothing(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw new Fault('invalid_params', `${basename(path)} cannot be read as a file.`, { cause: thrown });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Fault('invalid_params', `${basename(path)} is not UTF-8 text, so it cannot be changed.`, { cause });
  }
}

/** Writes in place, so that mode and links stay, and creates missing folders. `undefined` deletes the file. */
export async function writeText(path: string, text: string | undefined): Promise<void> {
  try {
    if (text === undefined) return await rm(path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (cause) {
    throw new Fault('unavailable', `${basename(path)} could not be written (${codeOf(cause) ?? 'unknown reason'}).`, {
      cause,
    });
  }
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    const parent = dirname(path);
    if (codeOf(thrown) !== 'ENOENT' || parent === path) {
      throw new Fault('invalid_params', `${basename(path)} cannot be accessed.`, { cause: thrown });
    }
    return join(await realPathOf(parent), basename(path));
  }
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}
