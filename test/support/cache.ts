import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where everything that is not a dependency of the product is kept between runs. `SWITCHBOARD_CACHE` moves it. */
export const cacheFolder = process.env['SWITCHBOARD_CACHE'] ?? join(projectRoot, '.vscode-test');

/**
 * Answers the folder `name` of the cache, filling it first where it is missing. It appears under its name only when it
 * is whole: an interrupted `fill` leaves a `.partial-<pid>` folder, which the next run removes and begins again.
 */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder, { recursive: true });
  for (const it of readdirSync(cacheFolder)) {
    const owner = /\.partial-(\d+)$/.exec(it)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(cacheFolder, it), { recursive: true, force: true });
  }
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  await fill(partial);
  try {
    renameSync(partial, folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown;
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
