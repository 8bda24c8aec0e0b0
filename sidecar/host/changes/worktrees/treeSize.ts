import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorktreeSize } from '../../../protocol/channels/session/worktrees.ts';
import { codeOf } from '../../files/fileFaults.ts';
import { isMissing } from '../snapshots/contentStore.ts';

/** Enough for the dependencies of a large project. */
const MAX_ENTRIES = 200_000;

/**
 * The size of a folder on disk. Links are not followed, because their targets are not in the folder. Entries are read one at
 * a time, so that other work of the host continues in between.
 * @param path absolute; the size is 0 if nothing is there
 * @param max how many entries are read at most
 */
export async function treeSize(path: string, max = MAX_ENTRIES): Promise<WorktreeSize> {
  let [bytes, files, seen] = [0, 0, 0];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await entriesOf(folder)) {
      if (++seen > max) return { bytes, files, isWhole: false };
      const at = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(at);
      else {
        bytes += (await lstat(at).catch(nothing))?.size ?? 0;
        files += 1;
      }
    }
  }
  return { bytes, files, isWhole: true };
}

async function entriesOf(folder: string) {
  return (await opendir(folder).catch(nothing)) ?? [];
}

/** Entries that disappear during the count, or that cannot be read, count as nothing. */
function nothing(thrown: unknown): undefined {
  const code = codeOf(thrown);
  if (!isMissing(thrown) && code !== 'EACCES' && code !== 'EPERM') throw thrown;
}
