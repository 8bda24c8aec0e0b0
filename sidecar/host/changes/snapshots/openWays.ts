import { dirname } from 'node:path';
import { statOf } from './fileState.ts';
import { isBelow } from './insideFolders.ts';

/**
 * Answers whether only folders are on the way from one of `tops` to a path: behind a link, or where a file took the place
 * of a folder, there is nothing that belongs to the path. Each folder is looked at once.
 */
export function openWays(tops: readonly string[]): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const isFolder = (folder: string): Promise<boolean> => {
    if (!tops.some((it) => isBelow(folder, it))) return Promise.resolve(true);
    let answer = known.get(folder);
    if (!answer) {
      answer = isFolder(dirname(folder)).then(
        async (isOpen) => isOpen && (await statOf(folder))?.isDirectory() === true,
      );
      known.set(folder, answer);
    }
    return answer;
  };
  return (path) => isFolder(dirname(path));
}
