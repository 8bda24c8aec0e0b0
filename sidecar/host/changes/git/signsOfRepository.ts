import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromBytes, toFs } from '../../files/rawPath.ts';
import { statOf } from '../snapshots/fileState.ts';

/**
 * Whether Git could find a repository for a folder: the folder or one above it contains `.git` or is a Git directory. This check
 * takes a fraction of the time to start Git, which would delay every turn in a folder without a repository.
 */
export async function hasSignsOfRepository(folder: string): Promise<boolean> {
  try {
    const above = allAbove(fromBytes(await realpath(toFs(folder), 'buffer')));
    const found = await Promise.all(above.flatMap((it) => [statOf(join(it, '.git')), statOf(join(it, 'HEAD'))]));
    return found.some((it) => it !== undefined);
  } catch {
    return true; // Git reports what is wrong with a folder that cannot be read
  }
}

/** The folder and all folders above it. */
function allAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...allAbove(above)];
}
