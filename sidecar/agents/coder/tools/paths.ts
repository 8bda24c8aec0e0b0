import { relative, resolve, sep } from 'node:path';
import { folderNeeded } from '../../folderNeeded.ts';
import type { SessionContext } from '../../provider.ts';

/** A path that a model wrote, made absolute. A relative one belongs to the first folder. @throws {Fault} `folder_needed` */
export function absolute({ folders }: Pick<SessionContext, 'folders'>, path: string): string {
  const [first] = folders;
  if (first === undefined) throw folderNeeded();
  return resolve(first, path);
}

/** As a person reads it: from the first folder, where it is inside. */
export function shown({ folders }: Pick<SessionContext, 'folders'>, path: string): string {
  const way = relative(folders[0] ?? '/', path);
  if (way === '') return '.';
  return way === '..' || way.startsWith(`..${sep}`) ? path : way;
}
