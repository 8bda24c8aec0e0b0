import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import { asFaults } from './fileFaults.ts';
import { fromBytes, toFs } from './rawPath.ts';

/** Where the system names open folders, what is reached through one cannot be swapped for a link meanwhile. */
const descriptors = process.platform === 'linux' && existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined;
// Absent on Windows, where the real path is compared before and after instead.
const noFollow = constants.O_NOFOLLOW ?? 0;
const nonBlocking = constants.O_NONBLOCK ?? 0;
const directory = constants.O_DIRECTORY ?? 0;

/**
 * A folder that is held open while something in it is read or changed: names are looked up in the very folder that was
 * judged, whatever becomes of the path. Where the system cannot do that, the path is compared before and after.
 */
export class DirectoryHandle {
  /** Its real path when it was opened. */
  readonly real: string;
  readonly #handle: FileHandle | undefined;

  private constructor(real: string, handle: FileHandle | undefined) {
    this.real = real;
    this.#handle = handle;
  }

  /**
   * @param real as it was judged; a link in any place of it is refused
   * @throws {Fault} `not_found`, `forbidden` when it is another folder by now
   */
  static open(real: string): Promise<DirectoryHandle> {
    return asFaults(async () => {
      if (descriptors === undefined) {
        const folder = new DirectoryHandle(real, undefined);
        await folder.check();
        return folder;
      }
      const handle = await open(toFs(real), constants.O_RDONLY | directory | noFollow);
      if (fromBytes(await readlink(`${descriptors}/${handle.fd}`, 'buffer')) === real)
        return new DirectoryHandle(real, handle);
      await handle.close();
      throw moved();
    });
  }

  /** The folder `name` in it; a link of that name is refused. */
  async enter(name: string): Promise<DirectoryHandle> {
    const real = join(this.real, name);
    if (!this.#handle) return DirectoryHandle.open(real);
    return asFaults(
      async () => new DirectoryHandle(real, await open(toFs(this.at(name)), constants.O_RDONLY | directory | noFollow)),
    );
  }

  /** A path of `name` in it, for calls that do not follow links. `.` is the folder itself. */
  at(name: string): string {
    return this.#handle ? `${descriptors}/${this.#handle.fd}/${name}` : join(this.real, name);
  }

  /** Opens a file in it. A link is refused; a pipe does not block. @param flags of `node:fs`, such as O_RDONLY */
  open(name: string, flags: number, mode = 0o666): Promise<FileHandle> {
    return asFaults(async () => {
      const file = await open(toFs(this.at(name)), flags | noFollow | nonBlocking, mode);
      try {
        await this.check();
        return file;
      } catch (thrown) {
        await file.close();
        throw thrown;
      }
    });
  }

  /** @throws {Fault} `forbidden` when the path leads elsewhere by now. Nothing to do where the folder is held. */
  async check(): Promise<void> {
    if (!this.#handle && (await asFaults(() => realpath(this.real))) !== this.real) throw moved();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

/** Runs `work` with the folder of `real` held open, and the last name of it. */
export async function inFolderOf<T>(
  real: string,
  work: (folder: DirectoryHandle, name: string) => Promise<T>,
): Promise<T> {
  const folder = await DirectoryHandle.open(dirname(real));
  try {
    return await asFaults(() => work(folder, basename(real)));
  } finally {
    await folder.close();
  }
}

/** Runs `work` in the folder `real` itself. */
export async function inFolder<T>(real: string, work: (folder: DirectoryHandle) => Promise<T>): Promise<T> {
  const folder = await DirectoryHandle.open(real);
  try {
    return await asFaults(() => work(folder));
  } finally {
    await folder.close();
  }
}

function moved(): Fault {
  return new Fault('forbidden', 'the folder was moved in the meantime', { data: {} });
}
