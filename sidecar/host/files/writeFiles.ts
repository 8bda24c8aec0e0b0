import { constants } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { Fault } from '../../platform/faults.ts';
import { newTemporaryName } from '../../platform/temporaryName.ts';
import { type DirectoryHandle, inFolderOf } from './directoryHandle.ts';
import { codeOf } from './fileFaults.ts';
import type { Located } from './locate.ts';
import { etagOf, MAX_READ_BYTES } from './readFiles.ts';
import { type Splice, spliceBytes } from './spliceBytes.ts';

export interface WriteRequest extends Splice {
  readonly createOnly: boolean;
  /** The version that is to be changed, as {@link etagOf} names it. */
  readonly ifMatch?: string | undefined;
}

/** Half-written files, which nobody else needs to see. */
export const temporaryName = /^\.switchboard-[0-9a-f-]{36}$/;

const waiting = new Map<string, Promise<void>>();

/**
 * Writes a file: a new one, or a new version of one in a single step for whoever reads it. Writes to one file come one
 * after the other, so that none is lost.
 * @throws {Fault} `not_found` without its folder, `already_exists`, `conflict` for another version than `ifMatch`,
 * `invalid_params`, `forbidden`
 */
export async function write(located: Located, request: WriteRequest): Promise<void> {
  const before = waiting.get(located.real) ?? Promise.resolve();
  const mine = before
    .catch(() => undefined)
    .then(() => inFolderOf(located.real, (folder, name) => writeIn(folder, name, request)));
  waiting.set(located.real, mine);
  try {
    await mine;
  } finally {
    if (waiting.get(located.real) === mine) waiting.delete(located.real);
  }
}

async function writeIn(folder: DirectoryHandle, name: string, request: WriteRequest): Promise<void> {
  const { createOnly, ifMatch } = request;
  const stats = await lstat(folder.at(name), { bigint: true }).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  });
  if (stats && createOnly) throw new Fault('already_exists', 'a file or folder with this name already exists');
  if (stats?.isDirectory()) throw new Fault('already_exists', 'a folder with this name already exists');
  if (stats && !stats.isFile()) throw new Fault('forbidden', 'this is not a file', { data: {} });
  if (ifMatch !== undefined && (!stats || etagOf(stats) !== ifMatch)) {
    throw new Fault('conflict', 'the file has changed since this version');
  }
  if (!stats) return create(folder, name, spliceBytes(Buffer.alloc(0), request));
  // What is not looked at need not be read, however large it is.
  const isWhole = request.mode === 'truncate' && request.position === 0;
  const old = isWhole ? Buffer.alloc(0) : await readIn(folder, name);
  await replace(folder, name, spliceBytes(old, request), Number(stats.mode) & 0o777);
}

async function readIn(folder: DirectoryHandle, name: string): Promise<Buffer> {
  const file = await folder.open(name, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    if (size > MAX_READ_BYTES) throw new Fault('forbidden', `larger than ${MAX_READ_BYTES} bytes`, { data: {} });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

async function create(folder: DirectoryHandle, name: string, bytes: Buffer): Promise<void> {
  const file = await folder.open(name, newFile);
  try {
    await file.writeFile(bytes);
  } catch (thrown) {
    await rm(folder.at(name), { force: true });
    throw thrown;
  } finally {
    await file.close();
  }
}

/** Bytes that other names of the same file point to stay as they are: those names may lie outside. */
async function replace(folder: DirectoryHandle, name: string, bytes: Buffer, mode: number): Promise<void> {
  const temporary = newTemporaryName('.switchboard-');
  const file = await folder.open(temporary, newFile, 0o600);
  try {
    try {
      await file.writeFile(bytes);
      await file.chmod(mode);
    } finally {
      await file.close();
    }
    await folder.check();
    await rename(folder.at(temporary), folder.at(name));
  } catch (thrown) {
    await rm(folder.at(temporary), { force: true });
    throw thrown;
  }
}
