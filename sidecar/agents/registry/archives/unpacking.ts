import { copyFile, mkdir, open, readlink, realpath, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { entryPath, unsafe } from './entryPath.ts';

const MOST_BYTES = 4 * 1024 ** 3;
const MOST_ENTRIES = 200_000;

/**
 * A folder that an archive is unpacked into. Links are made when every file is there, so that none is written through a
 * link, and then each of them must lead to something in the folder.
 */
export class Unpacking {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #links: { readonly path: string; readonly target: string }[] = [];
  readonly #copies: { readonly path: string; readonly of: string }[] = [];
  #bytes = 0;
  #entries = 0;

  /** @param folder exists, is absolute, and has nothing in it */
  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  async directory(name: string): Promise<void> {
    const path = this.#next(name);
    await this.#makeFolder(path);
  }

  /** @param mode of which only whether it may be run counts */
  async file(name: string, mode: number, contents: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#next(name);
    await this.#makeFolder(parentOf(path));
    this.#take(path);
    const file = await open(join(this.#folder, path), 'wx', (mode & 0o111) === 0 ? 0o644 : 0o755);
    try {
      for await (const chunk of contents) {
        this.#signal.throwIfAborted();
        this.#bytes += chunk.length;
        if (this.#bytes > MOST_BYTES) throw unsafe('it contains more than 4 GB of data');
        await file.write(chunk);
      }
    } finally {
      await file.close();
    }
  }

  link(name: string, target: string): void {
    const path = this.#next(name);
    if (path === '' || target === '' || isAbsolute(target) || /[\\:\p{Cc}]/u.test(target)) throw leadsOut();
    this.#links.push({ path, target });
  }

  /** A second name of a file that came before. */
  copy(name: string, of: string): void {
    const [path, from] = [this.#next(name), entryPath(of)];
    if (!this.#files.has(from)) throw leadsOut();
    this.#copies.push({ path, of: from });
  }

  async finish(): Promise<void> {
    const root = await realpath(this.#folder);
    for (const { path } of [...this.#copies, ...this.#links]) {
      this.#take(path);
      await this.#makeFolder(parentOf(path));
    }
    for (const { path, of } of this.#copies) {
      await copyFile(join(root, of), join(root, path), 1); // COPYFILE_EXCL: it takes the place of nothing
    }
    for (const { path, target } of this.#links) await symlink(target, join(root, path));
    for (const { path } of this.#links) {
      const at = await realpath(join(root, path)).catch(() => '');
      if (!at.startsWith(root + sep) || isAbsolute(await readlink(join(root, path)))) throw leadsOut();
    }
  }

  #take(path: string): void {
    if (path === '' || this.#files.has(path) || this.#folders.has(path))
      throw unsafe('it contains two files with the same name');
    this.#files.add(path);
  }

  #next(name: string): string {
    this.#signal.throwIfAborted();
    this.#entries += 1;
    if (this.#entries > MOST_ENTRIES) throw unsafe(`it contains more than ${MOST_ENTRIES} files`);
    return entryPath(name);
  }

  async #makeFolder(path: string): Promise<void> {
    if (path === '' || this.#folders.has(path)) return;
    if (this.#files.has(path)) throw unsafe('it contains a file and a folder with the same name');
    await this.#makeFolder(parentOf(path));
    await mkdir(join(this.#folder, path), { recursive: true, mode: 0o755 });
    this.#folders.add(path);
  }
}

function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}
const leadsOut = () => unsafe('a link in it leads outside its folder');
