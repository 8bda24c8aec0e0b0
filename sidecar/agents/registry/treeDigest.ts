import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

export interface TreeDigest {
  /** SHA-256 in hexadecimal of every name, kind, and content. */
  readonly digest: string;
  readonly bytes: number;
}

/** Folders that Python and tools of npm fill while an agent runs: nothing in them is what was installed. */
const caches = /^(?:__pycache__|\.cache)$/;

/** What a folder holds, in one number that no change of it leaves as it is. Times and owners do not count. */
export async function treeDigest(folder: string, signal?: AbortSignal): Promise<TreeDigest> {
  const all = createHash('sha256');
  let bytes = 0;
  const walk = async (path: string, name: string): Promise<void> => {
    const names = (await readdir(path)).sort();
    for (const it of names) {
      signal?.throwIfAborted();
      const [at, shown] = [join(path, it), `${name}/${it}`];
      const found = await lstat(at);
      if (found.isDirectory()) {
        if (!caches.test(it)) await walk(at, shown);
      } else if (found.isSymbolicLink()) all.update(`${JSON.stringify([shown, 'link', await readlink(at)])}\n`);
      else {
        bytes += found.size;
        const runs = process.platform !== 'win32' && (found.mode & 0o111) !== 0;
        all.update(`${JSON.stringify([shown, runs ? 'program' : 'file', await fileDigest(at)])}\n`);
      }
    }
  };
  await walk(folder, '');
  return { digest: all.digest('hex'), bytes };
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
