import { relative, resolve, sep } from 'node:path';
import { folderNeeded } from '../../folderNeeded.ts';
import type { SessionContext } from '../../provider.ts';

/** The absolute form of a path from a model. Relative paths start at the first folder. @throws {Fault} `folder_needed` */
export function absolute({ folders }: Pick<SessionContext, 'folders'>, path: string): string {
  const [first] = folders;
  if (first === undefined) throw folderNeeded();
  return resolve(first, path);
}

/** The path as it is shown: relative to the first folder if it is inside it. */
export function shown({ folders }: Pick<SessionContext, 'folders'>, path: string): string {
  const way = relative(folders[0] ?? '/', path);
  if (way === '') return '.';
  return way === '..' || way.startsWith(`..${sep}`) ? path : way;
}
