import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromBytes, toFs } from '../../files/rawPath.ts';
import { statOf } from '../snapshots/fileState.ts';

/**
 * Whether git could find a repository from a folder on: it or one above it has a `.git`, or is a git directory itself. Looking
 * takes a fraction of what starting git does, which each turn in a plain folder would wait for.
 */
export async function hasSignsOfRepository(folder: string): Promise<boolean> {
  try {
    const above = allAbove(fromBytes(await realpath(toFs(folder), 'buffer')));
    const found = await Promise.all(above.flatMap((it) => [statOf(join(it, '.git')), statOf(join(it, 'HEAD'))]));
    return found.some((it) => it !== undefined);
  } catch {
    return true; // git says what it thinks of a folder that cannot be looked at
  }
}

/** With the folder itself. */
function allAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...allAbove(above)];
}
