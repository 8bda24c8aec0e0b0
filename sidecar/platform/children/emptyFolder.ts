import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where a program works that was given no folder: it is private and nothing lies there. Never where the host happens to be. */
export function emptyFolder(dataDir: string): string {
  const path = join(dataDir, 'empty');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
