import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where everything that is not a dependency of the product is kept between runs. `SWITCHBOARD_CACHE` moves it. */
export const cacheFolder = process.env['SWITCHBOARD_CACHE'] ?? join(projectRoot, '.vscode-test');

/** Limits the wait if the process named by a folder has ended and its ID was reused. */
const longestFillMs = 600_000;
const lookMs = 200;

/**
 * Answers the folder `name` of the cache, filling it first where it is missing. It appears under its name only when it
 * is whole: an interrupted `fill` leaves a `.partial-<pid>` folder, which the next run removes and begins again. While
 * another process fills it, this waits, because two downloads take longer than one.
 */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder, name);
  mkdirSync(cacheFolder, { recursive: true });
  for (let waited = 0; !existsSync(folder) && isFilledByAnother(name) && waited < longestFillMs; waited += lookMs)
    await setTimeout(lookMs);
  if (existsSync(folder)) return folder;
  for (const it of readdirSync(cacheFolder)) {
    const owner = /\.partial-(\d+)$/.exec(it)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(cacheFolder, it), { recursive: true, force: true });
  }
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    await fill(partial);
  } catch (thrown) {
    rmSync(partial, { recursive: true, force: true });
    throw thrown;
  }
  try {
    renameSync(partial, folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown;
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

function isFilledByAnother(name: string): boolean {
  return readdirSync(cacheFolder).some((it) => {
    if (!it.startsWith(`${name}.partial-`)) return false;
    const owner = Number(it.slice(name.length + '.partial-'.length));
    return owner !== process.pid && isAlive(owner);
  });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
