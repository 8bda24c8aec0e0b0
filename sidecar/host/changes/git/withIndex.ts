import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { isMissing } from '../snapshots/contentStore.ts';
import type { GitRepository } from './gitRepository.ts';

/**
 * Runs `work`, which may change the index and fail: then the index is what it was before. What another program did to it
 * meanwhile is not taken back.
 * @param work is handed what it calls when it changed the index itself
 */
export async function withIndex<T>(
  deps: { readonly report: (thrown: unknown) => void },
  { index }: GitRepository,
  work: (staged: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const before = await look(index);
  let ours = before;
  try {
    return await work(async () => {
      ours = await look(index);
    });
  } catch (thrown) {
    await putBack(index, before, ours).catch(deps.report);
    throw thrown;
  }
}

interface Index {
  readonly bytes: Buffer;
  readonly atime: Date;
  readonly mtime: Date;
}

async function look(index: string): Promise<Index | undefined> {
  try {
    const { atime, mtime } = await stat(index);
    return { bytes: await readFile(index), atime, mtime };
  } catch (thrown) {
    if (isMissing(thrown)) return undefined; // before the first file was staged
    throw thrown;
  }
}

async function putBack(index: string, before: Index | undefined, ours: Index | undefined): Promise<void> {
  const lock = `${index}.lock`;
  const file = await open(lock, 'wx'); // as git locks it
  try {
    const now = await look(index);
    if (!same(now, ours) || same(now, before)) return;
    if (!before) return await rm(index);
    await file.writeFile(before.bytes);
    // Git takes a file that is as new as its index for one that may have changed since.
    await file.utimes(before.atime, before.mtime);
    await file.chmod((await stat(index)).mode & 0o777);
    await file.sync();
    await rename(lock, index);
  } finally {
    await file.close();
    await rm(lock, { force: true });
  }
}

function same(one: Index | undefined, other: Index | undefined): boolean {
  return one && other ? one.bytes.equals(other.bytes) : one === other;
}
