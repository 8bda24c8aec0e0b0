import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import { syncFolder } from '../../../platform/syncFolder.ts';
import { newTemporaryName } from '../../../platform/temporaryName.ts';

/** Bytes kept under their SHA-256 (hex). */
export interface Stored {
  readonly sha: string;
  /** Bytes. */
  readonly size: number;
}

export interface ContentStoreDeps {
  /** Holds `ab/abcd…`, one file for each content. Made on the first write, 0700; files are 0600. */
  readonly folder: string;
  /** The data does not outlive this process, so no write waits for the disk. */
  readonly isTemporary?: boolean;
}

/** Keeps bytes once, whoever stores them. A file here is complete or not there. */
export class ContentStore {
  readonly #deps: ContentStoreDeps;
  /** What this process stored: never collected by it, since a reference to it may be on its way to the database. */
  readonly #fresh = new Map<string, Promise<Stored>>();

  constructor(deps: ContentStoreDeps) {
    this.#deps = deps;
  }

  put(bytes: Uint8Array): Promise<Stored> {
    const sha = createHash('sha256').update(bytes).digest('hex');
    const known = this.#fresh.get(sha);
    if (known) return known;
    const stored = this.#write(sha, bytes);
    this.#fresh.set(sha, stored);
    stored.catch(() => this.#fresh.delete(sha));
    return stored;
  }

  async #write(sha: string, bytes: Uint8Array): Promise<Stored> {
    const stored = { sha, size: bytes.byteLength };
    if (await this.has(sha)) return stored;
    const folder = join(this.#deps.folder, sha.slice(0, 2));
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, newTemporaryName('.'));
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        // From now on, rows that refer to it may be on the disk, so the content must be there first.
        if (!this.#deps.isTemporary) await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.#pathOf(sha));
      if (!this.#deps.isTemporary) await syncFolder(folder);
      if (!this.#deps.isTemporary && made !== undefined) {
        await syncFolder(this.#deps.folder);
        await syncFolder(dirname(this.#deps.folder));
      }
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw thrown;
    }
    return stored;
  }

  /** @throws {Fault} `content_not_found` */
  async read(sha: string): Promise<Buffer> {
    if (!/^[0-9a-f]{64}$/.test(sha)) throw new Fault('content_not_found', 'content not found');
    try {
      return await readFile(this.#pathOf(sha));
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      throw new Fault('content_not_found', 'content not found', { cause: thrown });
    }
  }

  async has(sha: string): Promise<boolean> {
    const found = await stat(this.#pathOf(sha)).catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined;
      throw thrown;
    });
    return found !== undefined;
  }

  /** Drops contents that nobody refers to any more. What this process stored waits for the next start. */
  async drop(shas: readonly string[]): Promise<void> {
    for (const sha of shas) if (!this.#fresh.has(sha)) await rm(this.#pathOf(sha), { force: true });
  }

  /** Drops every content that `isUsed` does not know, and what a killed process left half written. */
  async collect(isUsed: (sha: string) => boolean): Promise<void> {
    for (const part of await namesIn(this.#deps.folder)) {
      const folder = join(this.#deps.folder, part);
      for (const name of await namesIn(folder)) {
        if (!this.#fresh.has(name) && !isUsed(name)) await rm(join(folder, name), { force: true });
      }
    }
  }

  #pathOf(sha: string): string {
    return join(this.#deps.folder, sha.slice(0, 2), sha);
  }
}

export function isMissing(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}
