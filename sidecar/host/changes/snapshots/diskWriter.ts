import { constants } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import { newTemporaryName } from '../../../platform/temporaryName.ts';
import { DirectoryHandle } from '../../files/directoryHandle.ts';
import { asFaults, codeOf } from '../../files/fileFaults.ts';
import { fromBytes, toFs } from '../../files/rawPath.ts';
import type { FileState } from './fileState.ts';
import { isBelow } from './insideFolders.ts';

/**
 * Makes `path` be `state`: bytes, permission bits and existence, in one step for whoever reads it. Missing folders are
 * made; with `emptyFolders`, that many folders above a removed file go too when they are empty. A folder in the place of
 * the file goes when there is no file in it. No link on the way is followed, whenever it was put there.
 * @param path real, as it was recorded
 * @throws {Fault} `forbidden` outside of `folders` or where the path leads elsewhere, `conflict` where something is in the
 * way, `unavailable` where there is no room
 */
export function writeDisk(
  path: string,
  state: FileState,
  folders: readonly string[],
  read: (sha: string) => Promise<Uint8Array>,
  emptyFolders = 0,
): Promise<void> {
  return asFaults(async () => {
    if (!folders.some((it) => isBelow(path, it))) throw new Fault('forbidden', "it is outside the session's folders");
    if (state.kind === 'other') throw inTheWay();
    if (state.kind === 'absent') return remove(path, folders, emptyFolders);
    if (state.notKept) throw new Fault('content_not_found', 'the content of this file was not saved');
    const bytes = await read(state.sha);
    const folder = await makeFolders(dirname(path));
    try {
      await replace(folder, basename(path), bytes, state);
    } finally {
      await folder.close();
    }
  });
}

async function replace(
  folder: DirectoryHandle,
  name: string,
  bytes: Uint8Array,
  { kind, mode }: { readonly kind: 'file' | 'link'; readonly mode: number },
): Promise<void> {
  const temporary = newTemporaryName('.switchboard-');
  try {
    if (kind === 'link') await symlink(Buffer.from(bytes), placeOf(folder, temporary));
    else await writeNew(folder, temporary, bytes, mode);
    await clearPlace(folder, name);
    await folder.check();
    await rename(placeOf(folder, temporary), placeOf(folder, name));
  } catch (thrown) {
    await rm(placeOf(folder, temporary), { force: true });
    throw thrown;
  }
}

async function writeNew(folder: DirectoryHandle, name: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await folder.open(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What holds no bytes makes room for a file: a folder without any file in it. A socket and the like do not. */
async function clearPlace(folder: DirectoryHandle, name: string): Promise<void> {
  const stats = await lstat(placeOf(folder, name)).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  });
  if (!stats || stats.isFile() || stats.isSymbolicLink()) return;
  if (!stats.isDirectory()) throw inTheWay();
  await inFolders(folder, name, async () => undefined); // nothing is removed unless all of it can be
  await inFolders(folder, name, (above, empty) => rmdir(placeOf(above, empty)));
}

/** Runs `work` for each folder of a tree of folders, the inner ones first. @throws {Fault} `conflict` at anything else */
async function inFolders(
  above: DirectoryHandle,
  name: string,
  work: (above: DirectoryHandle, name: string) => Promise<void>,
): Promise<void> {
  const folder = await above.enter(name);
  try {
    for (const entry of await readdir(placeOf(folder, '.'), { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) throw inTheWay();
      await inFolders(folder, fromBytes(entry.name), work);
    }
  } finally {
    await folder.close();
  }
  await work(above, name);
}

/** Opens a folder and makes what is missing on the way, each in the open folder above it. */
async function makeFolders(path: string): Promise<DirectoryHandle> {
  const missing: string[] = [];
  let folder: DirectoryHandle | undefined;
  for (let at = path; !folder; at = dirname(at)) {
    folder = await openFolder(at);
    if (!folder) missing.unshift(basename(at));
  }
  for (const name of missing) {
    const above: DirectoryHandle = folder;
    try {
      await mkdir(placeOf(above, name)).catch((thrown: unknown) => {
        if (codeOf(thrown) !== 'EEXIST') throw thrown;
      });
      folder = await above.enter(name).catch((thrown: unknown) => {
        throw inTheWay(thrown);
      });
    } finally {
      await above.close();
    }
  }
  return folder;
}

/** `undefined` where there is none. @throws {Fault} `forbidden` where the path leads elsewhere */
async function openFolder(path: string): Promise<DirectoryHandle | undefined> {
  try {
    return await DirectoryHandle.open(path);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'not_found' && dirname(path) !== path) return undefined;
    throw thrown;
  }
}

async function remove(path: string, folders: readonly string[], emptyFolders: number): Promise<void> {
  const folder = await openFolder(dirname(path));
  if (folder)
    try {
      await unlink(placeOf(folder, basename(path))).catch((thrown: unknown) => {
        if (codeOf(thrown) === 'EISDIR') throw inTheWay(thrown);
        if (codeOf(thrown) !== 'ENOENT') throw thrown;
      });
    } finally {
      await folder.close();
    }
  await removeEmptyFolders(dirname(path), folders, emptyFolders);
}

async function removeEmptyFolders(path: string, folders: readonly string[], count: number): Promise<void> {
  for (let at = path, left = count; left > 0 && folders.some((it) => isBelow(at, it)); left -= 1, at = dirname(at)) {
    const above = await openFolder(dirname(at));
    try {
      await (above && rmdir(placeOf(above, basename(at))));
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') continue;
      return; // not empty, or not ours to remove: it stays
    } finally {
      await above?.close();
    }
  }
}

function placeOf(folder: DirectoryHandle, name: string): string | Buffer {
  return toFs(folder.at(name));
}

function inTheWay(cause?: unknown): Fault {
  return new Fault('conflict', 'something else is now at its path', { cause });
}
