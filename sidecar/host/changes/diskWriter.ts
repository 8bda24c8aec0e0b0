import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import { isMissing } from './contentStore.ts';
import type { FileState } from './fileState.ts';
import { isBelow, requireInside } from './insideFolders.ts';

/**
 * Makes `path` be `state`: bytes, permission bits and existence, in one step for whoever reads it. Missing folders are
 * made; with `emptyFolders`, that many folders above a removed file go too when they are empty.
 * @throws {Fault} `forbidden` outside of `folders`, `conflict` where something is in the way
 */
export async function writeDisk(
  path: string,
  state: FileState,
  folders: readonly string[],
  read: (sha: string) => Promise<Uint8Array>,
  emptyFolders = 0,
): Promise<void> {
  const target = await requireInside(path, folders);
  if (state.kind === 'other') throw new Fault('conflict', 'there is something else than a file');
  if (state.kind === 'absent') {
    await rm(target, { force: true });
    return removeEmptyFolders(dirname(target), folders, emptyFolders);
  }
  if (state.notKept) throw new Fault('unavailable', 'the bytes of this file were not kept');
  const bytes = await read(state.sha);
  await mkdir(dirname(target), { recursive: true });
  const temporary = join(dirname(target), `.switchboard-${randomUUID()}`);
  try {
    if (state.kind === 'link') await symlink(Buffer.from(bytes), temporary);
    else await writeNew(temporary, bytes, state.mode);
    // The folder may have become a link to somewhere else while the bytes were written.
    if ((await requireInside(path, folders)) !== target) throw new Fault('conflict', 'the folder was moved meanwhile');
    await rename(temporary, target);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

async function writeNew(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function removeEmptyFolders(folder: string, folders: readonly string[], count: number): Promise<void> {
  for (let at = folder, left = count; left > 0 && folders.some((it) => isBelow(at, it)); left -= 1, at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (thrown) {
      if (isMissing(thrown)) continue;
      return; // not empty, or not ours to remove: it stays
    }
  }
}
