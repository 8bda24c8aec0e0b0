import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

interface Watched {
  readonly watcher: FSWatcher;
  readonly inode: number;
}

/** Watches folders one by one, without what is below them. A folder that is not there is watched for by its parent. */
export class FolderWatch {
  readonly #onChange: () => void;
  readonly #watched = new Map<string, Watched>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Watches these folders (absolute paths) and no others.
   * @returns whether one is watched that was not before: what happened in it until now was not noticed
   */
  sync(folders: Iterable<string>): boolean {
    const wanted = new Map<string, number>();
    for (const it of folders) {
      const found = nearest(it);
      if (found) wanted.set(found.path, found.inode);
    }
    for (const [path, { watcher, inode }] of this.#watched) {
      if (wanted.get(path) === inode) continue;
      watcher.close(); // not wanted any more, or deleted and made again
      this.#watched.delete(path);
    }
    let isNew = false;
    for (const [path, inode] of wanted) if (!this.#watched.has(path)) isNew = this.#add(path, inode) || isNew;
    return isNew;
  }

  close(): void {
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }

  #add(path: string, inode: number): boolean {
    try {
      const watcher = watch(path, { persistent: false }, this.#onChange);
      watcher.on('error', this.#onChange); // it went away: the next sync finds out
      this.#watched.set(path, { watcher, inode });
      return true;
    } catch (thrown) {
      // It went away just now; or the system has no watches left, and then it is looked at with the next session.
      if (['ENOENT', 'ENOTDIR', 'ENOSPC', 'EMFILE'].includes(codeOf(thrown))) return false;
      throw thrown;
    }
  }
}

/** The folder, or the nearest one above it that is there. */
function nearest(folder: string): { path: string; inode: number } | undefined {
  for (let path = folder; ; path = dirname(path)) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return { path, inode: found.ino };
    if (dirname(path) === path) return undefined;
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
