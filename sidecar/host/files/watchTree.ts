import { type FSWatcher, watch } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import { inFolder } from './directoryHandle.ts';
import { asFaults, codeOf } from './fileFaults.ts';
import type { GlobList } from './globs.ts';
import type { Located } from './locate.ts';
import { temporaryName } from './writeFiles.ts';

export interface TreeChange {
  readonly path: string;
  readonly type: 'added' | 'updated' | 'deleted';
}
export interface WatchOptions {
  readonly recursive: boolean;
  readonly includes?: GlobList | undefined;
  readonly excludes?: GlobList | undefined;
  /** What changed since the last call, in order; never empty, at most {@link MAX_CHANGES}. */
  readonly onChanges: (changes: readonly TreeChange[]) => void;
  readonly onFailed: (thrown: unknown) => void;
  /** Runs `work` after `delayMs`; answers what stops it. */
  readonly timers: Pick<Timers, 'after'>;
}

/** Changes within this time are reported together. */
const GATHER_MS = 50;
/** Most changes in one report; the rest follow in the next. */
export const MAX_CHANGES = 500;
/** Each takes a watch of the system. */
const MAX_FOLDERS = 4_000;
const MAX_DEPTH = 64;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly depth: number;
  /** By name: how each thing looked last. */
  readonly known: Map<string, string>;
}

/**
 * Follows a folder, or a single file through its folder. Links are reported and never followed. Each folder has a watch
 * of its own, so that what is excluded costs nothing; an event of the system only makes us look.
 */
export class TreeWatch {
  readonly #root: string;
  readonly #only: string | undefined;
  readonly #options: WatchOptions;
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #dirty = new Set<string>();
  #found: TreeChange[] = [];
  #stopTimer: (() => void) | undefined;
  #looking = false;
  #isClosed = false;

  private constructor(root: string, only: string | undefined, options: WatchOptions) {
    this.#root = root;
    this.#only = only;
    this.#options = options;
  }

  /** Watches from now on. @throws {Fault} `not_found`, `invalid_params` for too many folders */
  static async open({ real, kind }: Located, options: WatchOptions): Promise<TreeWatch> {
    if (kind === 'absent') throw new Fault('not_found', 'file or folder not found');
    const isFolder = kind === 'folder';
    const tree = new TreeWatch(isFolder ? real : dirname(real), isFolder ? undefined : basename(real), options);
    try {
      await asFaults(() => tree.#enter(tree.#root, 0));
      tree.#found = [];
      return tree;
    } catch (thrown) {
      tree.close();
      throw thrown;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  async #enter(folder: string, depth: number): Promise<void> {
    if (this.#isClosed || this.#folders.has(folder) || depth > MAX_DEPTH) return;
    if (this.#folders.size >= MAX_FOLDERS) {
      throw new Fault('invalid_params', `uri: contains more than ${MAX_FOLDERS} folders; exclude some`);
    }
    const watcher = watch(folder, { persistent: false });
    watcher.on('change', () => this.#mark(folder));
    watcher.on('error', () => this.#mark(folder)); // gone, most likely: a look shows it
    this.#folders.set(folder, { watcher, depth, known: new Map() });
    await this.#look(folder);
  }

  #mark(folder: string): void {
    if (this.#isClosed) return;
    this.#dirty.add(folder);
    if (!this.#looking) this.#stopTimer ??= this.#options.timers.after(GATHER_MS, () => void this.#lookAround());
  }

  async #lookAround(): Promise<void> {
    this.#looking = true;
    this.#stopTimer = undefined;
    try {
      for (const folder of [...this.#dirty]) {
        this.#dirty.delete(folder);
        if (this.#folders.has(folder)) await this.#look(folder);
      }
    } catch (thrown) {
      this.#options.onFailed(thrown);
    }
    this.#looking = false;
    if (this.#isClosed) return;
    const changes = this.#found.splice(0, MAX_CHANGES);
    if (changes.length > 0) this.#options.onChanges(changes);
    if (this.#dirty.size > 0 || this.#found.length > 0) this.#mark(this.#root);
  }

  /** Compares a folder with what was known of it. */
  async #look(folder: string): Promise<void> {
    const watched = this.#folders.get(folder);
    if (!watched) return;
    const entries = await entriesOf(folder, (name) => this.#isWanted(join(folder, name), name));
    if (this.#isClosed) return;
    if (!entries) return this.#leave(folder);
    const seen = new Set<string>();
    for (const { name, stamp, isFolder } of entries) {
      const path = join(folder, name);
      seen.add(name);
      const before = watched.known.get(name);
      watched.known.set(name, stamp);
      if (before !== stamp) this.#leave(path); // what was a folder of that name is another thing by now
      if (before === undefined) this.#add(path, 'added');
      else if (before !== stamp) this.#add(path, 'updated');
      if (isFolder && this.#options.recursive) await this.#enter(path, watched.depth + 1);
    }
    for (const name of [...watched.known.keys()].filter((it) => !seen.has(it))) {
      watched.known.delete(name);
      this.#leave(join(folder, name));
      this.#add(join(folder, name), 'deleted');
    }
  }

  /** A folder went away, with all that was known in it. */
  #leave(folder: string): void {
    const watched = this.#folders.get(folder);
    if (!watched) return;
    watched.watcher.close();
    this.#folders.delete(folder);
    for (const name of watched.known.keys()) {
      this.#leave(join(folder, name));
      this.#add(join(folder, name), 'deleted');
    }
  }

  #isWanted(path: string, name: string): boolean {
    if (this.#only !== undefined) return name === this.#only;
    return !temporaryName.test(name) && this.#options.excludes?.matches(this.#relative(path)) !== true;
  }
  #add(path: string, type: TreeChange['type']): void {
    if (this.#options.includes?.matches(this.#relative(path)) !== false) this.#found.push({ path, type });
  }
  #relative(path: string): string {
    return path.slice(this.#root.length + 1).replaceAll('\\', '/');
  }
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  /** Differs when a file or link became another; of a folder only what makes it that folder. */
  readonly stamp: string;
}

/** `undefined` for a folder that is not there any more, or that a link took the place of. */
async function entriesOf(real: string, isWanted: (name: string) => boolean): Promise<Entry[] | undefined> {
  try {
    return await inFolder(real, async (folder) => {
      const names = (await readdir(folder.at('.'))).filter(isWanted);
      const entries = await Promise.all(names.map((name) => entryOf(folder.at(name), name)));
      await folder.check();
      return entries.filter((it) => it !== undefined);
    });
  } catch (thrown) {
    if (thrown instanceof Fault && (thrown.code === 'not_found' || thrown.code === 'forbidden')) return undefined;
    throw thrown;
  }
}

async function entryOf(path: string, name: string): Promise<Entry | undefined> {
  try {
    const stats = await lstat(path, { bigint: true });
    if (stats.isDirectory()) return { name, isFolder: true, stamp: `folder ${stats.ino}` };
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.mode}`;
    return { name, isFolder: false, stamp };
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return undefined; // gone meanwhile
    throw thrown;
  }
}
