import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorktreeSize } from '../../../protocol/channels/session/worktrees.ts';
import { codeOf } from '../../files/fileFaults.ts';
import { isMissing } from '../snapshots/contentStore.ts';

/** Enough for the dependencies of a large project. */
const MAX_ENTRIES = 200_000;

/**
 * What a folder takes on disk. Links are not followed: what they lead to is not in the folder. One entry is looked at after
 * the other, so that other work of the host goes on between them.
 * @param path absolute; nothing is there: empty
 * @param max entries that are looked at
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

/** What goes while it is looked at is not there, and what cannot be looked at counts as nothing. */
function nothing(thrown: unknown): undefined {
  const code = codeOf(thrown);
  if (!isMissing(thrown) && code !== 'EACCES' && code !== 'EPERM') throw thrown;
}
