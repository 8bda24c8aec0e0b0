import type { BigIntStats, Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { fromBytes, toFs } from '../../files/rawPath.ts';
import type { Baseline } from './baseline.ts';
import { ContentStore, isMissing } from './contentStore.ts';
import { absent, FileReader, type FileState, isDenied, isKept, placeholderText, stampOf, statOf } from './fileState.ts';

import { openWays } from './openWays.ts';

export interface WalkLimits {
  readonly files: number;
  /** Bytes kept of one folder. */
  readonly bytes: number;
}
export const walkLimits: WalkLimits = { files: 20_000, bytes: 256 * 1024 * 1024 };

/** What tools install and caches hold; changes in there are seen only where a tool names the file. */
const skipped = new Set(['node_modules', '.git', '.hg', '.svn', '.venv', '__pycache__']);

interface Seen {
  readonly stamp: string;
  readonly state: FileState;
}

/** A folder that git does not look after: its files are copied once, and again when they changed. */
export class WalkedFolder {
  readonly #folder: string;
  readonly #limits: WalkLimits;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #copies: ContentStore;
  readonly #reader: FileReader;
  #seen = new Map<string, Seen>();

  constructor(
    folder: string,
    copies: string,
    clock: Pick<Clock, 'nowMs'>,
    maxBytes: number,
    limits: WalkLimits = walkLimits,
  ) {
    this.#folder = folder;
    this.#clock = clock;
    this.#limits = limits;
    this.#copies = new ContentStore({ folder: copies, isTemporary: true });
    this.#reader = new FileReader(this.#copies, clock, maxBytes);
  }

  async open(content: ContentStore): Promise<Baseline> {
    const startedMs = this.#clock.nowMs();
    const { paths, isPartial, unreadable } = await this.#walk();
    const present: { path: string; stats: BigIntStats }[] = [];
    for (const path of paths) {
      const stats = await statOf(path);
      if (stats) present.push({ path, stats });
    }
    const copied = new Map<string, Seen>();
    let bytes = 0;
    let isOverBudget = false;
    // The small ones first: a large one takes the room of no other.
    for (const { path, stats } of present.toSorted((a, b) => Number(a.stats.size - b.stats.size))) {
      // What is too large is not copied, so it takes no room.
      const size = stats.size > BigInt(this.#reader.maxBytes) ? 0 : Number(stats.size);
      const isRoom = bytes + size <= this.#limits.bytes;
      if (isRoom) bytes += size;
      else isOverBudget = true;
      copied.set(path, await this.#copy(path, stats, isRoom));
    }
    const seen = new Map(present.map(({ path }) => [path, copied.get(path)!]));
    this.#seen = seen;
    const notices = noticesOf(basename(this.#folder), isPartial && this.#limits.files, isOverBudget, unreadable);
    return { notices, changes: () => this.#changes(seen, content, isPartial, startedMs) };
  }

  async #copy(path: string, stats: BigIntStats, isRoom: boolean): Promise<Seen> {
    const stamp = stampOf(stats);
    const old = this.#seen.get(path);
    const isCopied = old?.stamp === stamp && !(isKept(old.state) && old.state.notKept === 'overBudget');
    if (isCopied) return old;
    if (!isRoom) {
      const kept = await this.#copies.put(Buffer.from(placeholderText(stats, 'overBudget')));
      const mode = Number(stats.mode) & 0o7777;
      return { stamp, state: { kind: 'file', mode, notKept: 'overBudget', ...kept } };
    }
    const state = await this.#reader.read(path);
    // Written a moment ago: a second write may leave the same stamp, so it is compared by its bytes later.
    const isSettled = Number(stats.ctimeMs) < this.#clock.nowMs() - 50;
    return { stamp: isSettled ? stamp : '', state };
  }

  async #changes(
    seen: ReadonlyMap<string, Seen>,
    content: ContentStore,
    isPartial: boolean,
    startedMs: number,
  ): Promise<Map<string, FileState>> {
    const found = new Map<string, FileState>();
    const { paths, isPartial: isCut } = await this.#walk();
    const isOpen = openWays([this.#folder]);
    for (const path of paths) {
      const old = seen.get(path);
      const stats = await statOf(path);
      if (old) {
        if (!stats || stampOf(stats) !== old.stamp) found.set(path, await this.#handOver(old.state, content));
      } else if (stats && (!isPartial || Number(stats.birthtimeMs) >= startedMs - 1_000)) found.set(path, absent);
    }
    const present = new Set(paths);
    for (const [path, old] of seen) {
      if (present.has(path)) continue;
      // Past the limit of a walk it is looked for. Otherwise it is gone, whatever has its name now.
      if (isCut && (await isOpen(path)) && isFile(await statOf(path))) continue;
      found.set(path, await this.#handOver(old.state, content));
    }
    return found;
  }

  async #handOver(state: FileState, content: ContentStore): Promise<FileState> {
    if (isKept(state)) await content.put(await this.#copies.read(state.sha));
    return state;
  }

  async #walk(): Promise<{ paths: string[]; isPartial: boolean; unreadable: number }> {
    const paths: string[] = [];
    let unreadable = 0;
    const open = [this.#folder];
    for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
      for (const { entry, name } of await entriesOf(folder, () => (unreadable += 1))) {
        const path = join(folder, name);
        if (entry.isDirectory()) {
          if (!skipped.has(name)) open.push(path);
        } else if (entry.isFile() || entry.isSymbolicLink()) {
          if (paths.length >= this.#limits.files) return { paths, isPartial: true, unreadable };
          paths.push(path);
        }
      }
    }
    return { paths, isPartial: false, unreadable };
  }
}

function isFile(stats: BigIntStats | undefined): boolean {
  return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
}

async function entriesOf(folder: string, onUnreadable: () => void): Promise<{ entry: Dirent<Buffer>; name: string }[]> {
  try {
    const entries = await readdir(toFs(folder), { withFileTypes: true, encoding: 'buffer' });
    const named = entries.map((entry) => ({ entry, name: fromBytes(entry.name) }));
    return named.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    if (isDenied(thrown)) onUnreadable();
    else if (!isMissing(thrown)) throw thrown;
    return [];
  }
}

function noticesOf(name: string, limit: number | false, isOverBudget: boolean, unreadable: number): string[] {
  const notices: string[] = [];
  if (limit !== false)
    notices.push(
      `${name} contains more than ${limit} files and is not a Git repository. Some changes in it may be missing.`,
    );
  if (isOverBudget)
    notices.push(`${name} is too large to copy and is not a Git repository. Some changes in it cannot be undone.`);
  if (unreadable > 0)
    notices.push(`${unreadable} folders in ${name} could not be read. Changes in them are not shown.`);
  return notices;
}
