import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { Fault } from '../../platform/faults.ts';
import { inFolder, inFolderOf } from './directoryHandle.ts';
import { isIn, isTop, type Located, locate } from './locate.ts';

/** Larger files are not sent through the protocol: 20 MB. */
export const MAX_READ_BYTES = 20 * 1024 * 1024;

export interface Description {
  readonly type: 'file' | 'directory' | 'symlink';
  /** Bytes; of files and links. */
  readonly size?: number;
  /** RFC 3339. */
  readonly mtime: string;
  readonly ctime: string;
  /** Another one for each version of the file. */
  readonly etag: string;
}

/** @throws {Fault} `not_found` where there is no file, `forbidden` when it is too large or not to be read */
export async function readWhole(located: Located): Promise<Buffer> {
  if (located.kind !== 'file') throw new Fault('not_found', 'file not found');
  return inFolderOf(located.real, async (folder, name) => {
    const file = await folder.open(name, constants.O_RDONLY);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Fault('not_found', 'file not found');
      if (stats.size > MAX_READ_BYTES)
        throw new Fault('forbidden', `larger than ${MAX_READ_BYTES} bytes`, { data: {} });
      return await file.readFile();
    } finally {
      await file.close();
    }
  });
}

/** @throws {Fault} `not_found` */
export async function describe(located: Located): Promise<Description> {
  const { real, kind } = located;
  if (kind === 'absent') throw new Fault('not_found', 'file or folder not found');
  const stats = isTop(real)
    ? await lstat(real, { bigint: true })
    : await inFolderOf(real, (folder, name) => lstat(folder.at(name), { bigint: true }));
  return {
    type: stats.isSymbolicLink() ? 'symlink' : stats.isDirectory() ? 'directory' : 'file',
    ...(!stats.isDirectory() && { size: Number(stats.size) }),
    mtime: new Date(Number(stats.mtimeMs)).toISOString(),
    ctime: new Date(Number(stats.ctimeMs)).toISOString(),
    etag: etagOf(stats),
  };
}

export function etagOf(stats: BigIntStats): string {
  return `"${stats.ino.toString(36)}-${stats.size.toString(36)}-${stats.mtimeNs.toString(36)}-${stats.ctimeNs.toString(36)}"`;
}

/**
 * What is in a folder, by name. A link counts as what it leads to when that lies in one of `roots`, else as a file.
 * @throws {Fault} `not_found`, `invalid_params` for what is no folder
 */
export async function list(
  located: Located,
  roots: readonly string[],
): Promise<{ readonly name: string; readonly type: 'file' | 'directory' }[]> {
  if (located.kind === 'absent') throw new Fault('not_found', 'folder not found');
  if (located.kind !== 'folder') throw new Fault('invalid_params', 'uri: not a folder');
  return inFolder(located.real, async (folder) => {
    const entries = await readdir(folder.at('.'), { withFileTypes: true });
    await folder.check();
    const listed = [];
    for (const it of entries) {
      const isFolder = it.isDirectory() || (it.isSymbolicLink() && (await leadsToFolder(located.real, it.name, roots)));
      listed.push({ name: it.name, type: isFolder ? ('directory' as const) : ('file' as const) });
    }
    return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

async function leadsToFolder(folder: string, name: string, roots: readonly string[]): Promise<boolean> {
  const target = await locate(`${folder}/${name}`);
  return target.kind === 'folder' && roots.some((it) => isIn(target.real, it));
}
