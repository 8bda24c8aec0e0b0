import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Call, stringsIn } from './strace.ts';

const SECTOR = 512;

/** What of the unsynced is on the disk after the cut. */
export type Fate = 'none' | 'some' | 'torn';
/** Which sync is left out, by the path of what is synced: as if the program had not called it. */
export type LeftOut = (path: string, call: string) => boolean;

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };
interface File {
  durable: Buffer;
  /** Ended and not synced, by the number of the call. */
  pending: { readonly n: number; readonly change: Change }[];
  /** Of what the program sees. */
  length: number;
}
interface Names {
  readonly durable: Map<string, File>;
  pending: { readonly n: number; readonly from?: string; readonly to?: string; readonly file?: File }[];
}

/**
 * A disk after POSIX alone, which promises less than any file system keeps: a file's bytes are durable with its own sync, and
 * its name with that of its folder; what is not synced may be there or not, each write and each name by itself. ext4 would
 * hold a name back until its bytes are there and keep more; SQLite needs none of that.
 */
export class Disk {
  readonly #root: string;
  readonly #leftOut: LeftOut;
  readonly #files = new Map<string, File>();
  readonly #folders = new Map<string, Names>();
  readonly #open = new Map<
    number,
    { readonly path: string; readonly file?: File; position: number; appends: boolean }
  >();
  #n = 0;

  /** @param root nothing outside of it counts; its own name is durable */
  constructor(root: string, leftOut: LeftOut = () => false) {
    this.#root = root;
    this.#leftOut = leftOut;
    this.#folders.set(root, { durable: new Map(), pending: [] });
  }

  play(call: Call): void {
    const { name, args, result } = call;
    const n = this.#n;
    this.#n += 1;
    if (/^(msync|sync_file_range|fallocate|copy_file_range|writev|pwritev2?|truncate|link|linkat)$/.test(name)) {
      if (args.includes(hexOf(this.#root))) throw new Error(`the disk does not know ${name}`);
      return;
    }
    const fd = Number.parseInt(args, 10);
    const entry = this.#open.get(fd);
    if (/^(openat|open|creat)$/.test(name)) this.#opened(n, stringsIn(args)[0]!.toString(), args, result);
    else if (name === 'close') this.#open.delete(fd);
    else if (/^mkdir/.test(name)) {
      const path = stringsIn(args)[0]!.toString();
      if (this.#isInside(path)) this.#folders.set(path, { durable: new Map(), pending: [] });
    } else if (/^rename/.test(name)) this.#renamed(n, stringsIn(args).map(String) as [string, string]);
    else if (/^unlink/.test(name)) this.#unlinked(n, stringsIn(args)[0]!.toString());
    else if (!entry) return;
    else if (name === 'write' || name === 'pwrite64') {
      const file = entry.file!;
      const at = name === 'pwrite64' ? Number(args.split(', ').at(-1)) : entry.appends ? file.length : entry.position;
      const bytes = stringsIn(args)[0]!.subarray(0, result);
      if (name === 'write') entry.position = at + result;
      file.length = Math.max(file.length, at + result);
      file.pending.push({ n, change: { at, bytes } });
    } else if (name === 'ftruncate') {
      const length = Number(args.split(', ').at(-1));
      entry.file!.length = length;
      entry.file!.pending.push({ n, change: { length } });
    } else if (/sync$/.test(name) && !this.#leftOut(relative(this.#root, entry.path), name))
      this.#synced(entry, call.began);
  }

  /** Writes what the disk would hold if it lost its power now. @param random from 0 to below 1 */
  cut(target: string, fate: Fate, random: () => number): void {
    const survives = () => fate !== 'none' && random() < 0.5;
    for (const [path, names] of this.#folders) {
      const found = new Map(names.durable);
      for (const it of names.pending) if (survives()) rename(found, it);
      for (const [name, file] of found) {
        if (name.endsWith('-shm')) continue; // SQLite makes it anew from the log
        const to = join(target, relative(this.#root, path), name);
        mkdirSync(dirname(to), { recursive: true });
        writeFileSync(to, bytesAfter(file, fate, survives));
      }
    }
  }

  #isInside(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }
  #namesOf(path: string): Names {
    const found = this.#folders.get(dirname(path));
    if (!found) throw new Error(`nobody made the folder of ${path}`);
    return found;
  }
  #opened(n: number, path: string, args: string, fd: number): void {
    this.#open.delete(fd);
    if (!this.#isInside(path)) return;
    if (this.#folders.has(path)) return void this.#open.set(fd, { path, position: 0, appends: false });
    let file = this.#files.get(path);
    if (!file) {
      file = { durable: Buffer.alloc(0), pending: [], length: 0 };
      this.#files.set(path, file);
      this.#namesOf(path).pending.push({ n, to: path.slice(dirname(path).length + 1), file });
    } else if (args.includes('O_TRUNC')) {
      file.length = 0;
      file.pending.push({ n, change: { length: 0 } });
    }
    this.#open.set(fd, { path, file, position: 0, appends: args.includes('O_APPEND') });
  }
  #renamed(n: number, [from, to]: [string, string]): void {
    const file = this.#files.get(from);
    if (!file) return;
    if (dirname(from) !== dirname(to)) throw new Error('the disk renames within a folder only');
    this.#files.delete(from);
    this.#files.set(to, file);
    const length = dirname(to).length + 1;
    this.#namesOf(to).pending.push({ n, from: from.slice(length), to: to.slice(length), file });
  }
  #unlinked(n: number, path: string): void {
    if (!this.#files.delete(path)) return;
    this.#namesOf(path).pending.push({ n, from: path.slice(dirname(path).length + 1) });
  }
  #synced({ path, file }: { readonly path: string; readonly file?: File }, began: number): void {
    if (file) {
      const done = file.pending.filter((it) => it.n < began);
      file.pending = file.pending.filter((it) => it.n >= began);
      file.durable = applied(
        file.durable,
        done.map((it) => it.change),
      );
      return;
    }
    const names = this.#folders.get(path)!;
    for (const it of names.pending) if (it.n < began) rename(names.durable, it);
    names.pending = names.pending.filter((it) => it.n >= began);
  }
}

function rename(names: Map<string, File>, { from, to, file }: Names['pending'][number]): void {
  if (from !== undefined) names.delete(from);
  if (to !== undefined && file) names.set(to, file);
}

function bytesAfter(file: File, fate: Fate, survives: () => boolean): Buffer {
  const parts = file.pending.flatMap(({ change }) => (fate === 'torn' ? sectorsOf(change) : [change]));
  return applied(file.durable, parts.filter(survives));
}

/** A write in pieces that each are on the disk or not. */
function sectorsOf(change: Change): readonly Change[] {
  if ('length' in change) return [change];
  const { at, bytes } = change;
  const sectors: Change[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR));
    sectors.push({ at: at + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return sectors;
}

/** Copies the bytes once, however many changes there are. */
function applied(before: Buffer, changes: readonly Change[]): Buffer {
  const room = changes.reduce((most, it) => Math.max(most, endOf(it)), before.length);
  const after = Buffer.alloc(room);
  before.copy(after);
  let { length } = before;
  for (const change of changes) {
    if ('bytes' in change) {
      change.bytes.copy(after, change.at);
      length = Math.max(length, endOf(change));
    } else {
      after.fill(0, change.length, length);
      length = change.length;
    }
  }
  return after.subarray(0, length);
}

const endOf = (change: Change): number => ('length' in change ? change.length : change.at + change.bytes.length);

const hexOf = (path: string) => [...Buffer.from(path)].map((it) => `\\x${it.toString(16).padStart(2, '0')}`).join('');
