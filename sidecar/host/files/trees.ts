import { constants } from 'node:fs';
import { chmod, link, lstat, mkdir, readdir, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import { newTemporaryName } from '../../platform/temporaryName.ts';
import { type DirectoryHandle, inFolder, inFolderOf } from './directoryHandle.ts';
import { codeOf } from './fileFaults.ts';
import { isIn, isTop, type Located } from './locate.ts';
import { fromBytes, toFs } from './rawPath.ts';

/** Deepest tree that is copied or removed. */
const MAX_DEPTH = 200;
/** What an owner needs to fill a folder. */
const OWNER = 0o700;
/** A file system without hard links, or a file of somebody else: only a rename is left. */
const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

/** Makes a folder with those above it. @throws {Fault} `already_exists` where something else is in the way */
export async function makeFolder({ real, kind }: Located): Promise<void> {
  if (kind === 'folder') return;
  if (kind !== 'absent') throw new Fault('already_exists', 'a file with this name already exists');
  const names: string[] = [];
  let at = real;
  for (; !isTop(at) && !(await isFolder(at)); at = dirname(at)) names.unshift(basename(at));
  await inFolder(at, (folder) => makeBelow(folder, names));
}

async function makeBelow(folder: DirectoryHandle, [name, ...rest]: readonly string[]): Promise<void> {
  if (name === undefined) return;
  await mkdir(folder.at(name)).catch((thrown: unknown) => {
    if (codeOf(thrown) !== 'EEXIST') throw thrown;
  });
  const inner = await folder.enter(name).catch((thrown: unknown) => {
    throw new Fault('already_exists', 'a parent of this path is not a folder', { cause: thrown });
  });
  try {
    await makeBelow(inner, rest);
  } finally {
    await inner.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined); // what cannot be looked at is made, or is said to be in the way
  if (stats && !stats.isDirectory()) throw new Fault('already_exists', 'a parent of this path is not a folder');
  return stats !== undefined;
}

/** @throws {Fault} `not_found`, `already_exists` for a folder that is not empty, without `recursive` */
export async function remove({ real, kind }: Located, recursive: boolean): Promise<void> {
  if (kind === 'absent') throw new Fault('not_found', 'file or folder not found');
  await inFolderOf(real, async (folder, name) => {
    if (kind !== 'folder') await unlink(folder.at(name));
    else if (recursive) await removeTree(folder, name, 0);
    else await rmdir(folder.at(name));
  });
}

/** Each folder is held while it is emptied: a link that takes its place is removed, never followed. */
async function removeTree(parent: DirectoryHandle, name: string, depth: number): Promise<void> {
  requireShallow(depth);
  const folder = await parent.enter(name);
  try {
    for (const it of await readdir(folder.at('.'), { withFileTypes: true, encoding: 'buffer' })) {
      const inner = fromBytes(it.name);
      if (it.isDirectory()) await removeTree(folder, inner, depth + 1);
      else await unlink(toFs(folder.at(inner)));
    }
  } finally {
    await folder.close();
  }
  await rmdir(toFs(parent.at(name)));
}

/** Copies a file or a whole folder. Links in a folder stay links. @throws {Fault} see {@link requireFree} */
export async function copy(source: Located, destination: Located, failIfExists: boolean): Promise<void> {
  if (!(await requireFree(source, destination, failIfExists))) return;
  await between(source, destination, (from, name, to, newName) => copyTree(from, name, to, newName, 0, failIfExists));
}

async function copyTree(
  from: DirectoryHandle,
  name: string,
  to: DirectoryHandle,
  newName: string,
  depth: number,
  mustBeNew: boolean,
): Promise<void> {
  requireShallow(depth);
  const stats = await lstat(toFs(from.at(name)));
  if (stats.isSymbolicLink()) return symlink(await readlink(toFs(from.at(name)), 'buffer'), toFs(to.at(newName)));
  if (stats.isFile()) return copyBytes(from, name, to, newName, mustBeNew);
  if (!stats.isDirectory()) return; // a socket or a device has no bytes to copy
  await mkdir(toFs(to.at(newName)), { mode: (stats.mode & 0o777) | OWNER });
  const [source, target] = [await from.enter(name), await to.enter(newName)];
  try {
    for (const it of (await readdir(source.at('.'), 'buffer')).map(fromBytes))
      await copyTree(source, it, target, it, depth + 1, mustBeNew);
    // Last: its owner may not be allowed to write into it.
    if ((stats.mode & OWNER) !== OWNER) await chmod(toFs(target.at('.')), stats.mode & 0o777);
  } finally {
    await source.close();
    await target.close();
  }
}

/** By descriptor: `copyFile` would follow a link that took the file's place. What is replaced is whole until the end. */
async function copyBytes(
  from: DirectoryHandle,
  name: string,
  to: DirectoryHandle,
  newName: string,
  mustBeNew: boolean,
): Promise<void> {
  const temporary = newTemporaryName('.switchboard-');
  const source = await from.open(name, constants.O_RDONLY);
  try {
    const { mode } = await source.stat();
    const target = await to.open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode & 0o777);
    try {
      for await (const chunk of source.createReadStream({ autoClose: false })) await target.write(chunk as Buffer);
    } finally {
      await target.close();
    }
    await to.check();
    await putInPlace(to.at(temporary), toFs(to.at(newName)), mustBeNew);
  } catch (thrown) {
    await rm(to.at(temporary), { force: true });
    throw thrown;
  } finally {
    await source.close();
  }
}

/** @param mustBeNew whatever has the name by now, whenever it came, keeps it: the system answers EEXIST */
async function putInPlace(from: string, to: string | Buffer, mustBeNew: boolean): Promise<void> {
  if (!mustBeNew) return rename(from, to);
  try {
    await link(from, to);
  } catch (thrown) {
    if (!withoutLinks.has(codeOf(thrown) ?? '')) throw thrown;
    return rename(from, to);
  }
  await unlink(from);
}

/** @throws {Fault} see {@link requireFree} */
export async function move(source: Located, destination: Located, failIfExists: boolean): Promise<void> {
  if (!(await requireFree(source, destination, failIfExists))) return;
  await between(source, destination, async (from, name, to, newName) => {
    try {
      await putInPlace(from.at(name), to.at(newName), failIfExists && source.kind !== 'folder');
    } catch (thrown) {
      if (codeOf(thrown) !== 'EXDEV') throw thrown;
      await copyTree(from, name, to, newName, 0, failIfExists); // another file system
      if (source.kind === 'folder') await removeTree(from, name, 0);
      else await unlink(from.at(name));
    }
  });
}

/**
 * @returns false when both are the same thing: nothing to do
 * @throws {Fault} `not_found` without a source, `already_exists` for a destination in use, `invalid_params` for a folder
 * that would lie in itself
 */
async function requireFree(source: Located, destination: Located, failIfExists: boolean): Promise<boolean> {
  if (source.kind === 'absent') throw new Fault('not_found', 'source: file or folder not found');
  if (destination.kind !== 'absent' && failIfExists) throw new Fault('already_exists', 'destination: already exists');
  if (source.real === destination.real) return false;
  if (isIn(destination.real, source.real))
    throw new Fault('invalid_params', 'destination: must not be inside the source');
  const isPlain = (it: Located) => it.kind === 'file' || it.kind === 'link';
  if (destination.kind !== 'absent' && !(isPlain(destination) && isPlain(source))) {
    throw new Fault('already_exists', 'destination: already exists and cannot be replaced');
  }
  return true;
}

function between(
  source: Located,
  destination: Located,
  work: (from: DirectoryHandle, name: string, to: DirectoryHandle, newName: string) => Promise<void>,
): Promise<void> {
  return inFolderOf(source.real, (from, name) =>
    inFolderOf(destination.real, async (to, newName) => {
      await work(from, name, to, newName);
      await Promise.all([from.check(), to.check()]);
    }),
  );
}

function requireShallow(depth: number): void {
  if (depth > MAX_DEPTH) throw new Fault('invalid_params', `uri: has more than ${MAX_DEPTH} levels of folders`);
}
