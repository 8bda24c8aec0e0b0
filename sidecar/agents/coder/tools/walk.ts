import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IgnoreRule, isIgnored, readIgnore } from './ignored.ts';

export interface Found {
  /** Relative to the first folder, with slashes. */
  readonly path: string;
  readonly isFolder: boolean;
}

interface Rules {
  /** The folder of the `.gitignore`, as {@link Found.path}; empty for the first. */
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

/**
 * The files and folders in a folder, except those that Git ignores, and links, which can lead outside. A folder precedes its contents.
 *
 * @param depth the number of levels; 1 does not enter subfolders
 * @throws the error of `readdir` for the first folder; other folders that cannot be read are treated as empty
 */
export async function* walk(root: string, signal: AbortSignal, depth = 64): AsyncGenerator<Found, void> {
  yield* inside(root, '', [], signal, depth, true);
}

async function* inside(
  root: string,
  folder: string,
  above: readonly Rules[],
  signal: AbortSignal,
  depth: number,
  isFirst: boolean,
): AsyncGenerator<Found, void> {
  signal.throwIfAborted();
  const place = join(root, folder);
  const all = await readdir(place, { withFileTypes: true }).catch((thrown: unknown) => {
    if (isFirst) throw thrown;
    return [];
  });
  const own = all.some((it) => it.name === '.gitignore' && it.isFile())
    ? readIgnore(await readFile(join(place, '.gitignore'), 'utf8').catch(() => ''))
    : [];
  const rules = own.length > 0 ? [...above, { folder, rules: own }] : above;
  for (const entry of all.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const isFolder = entry.isDirectory();
    if (entry.name === '.git' || !(isFolder || entry.isFile())) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isLeftOut(rules, path, isFolder)) continue;
    yield { path, isFolder };
    if (isFolder && depth > 1) yield* inside(root, path, rules, signal, depth - 1, false);
  }
}

/** Rules of a deeper folder take precedence. */
function isLeftOut(all: readonly Rules[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of all.toReversed()) {
    const below = folder === '' ? path : path.slice(folder.length + 1);
    const verdict = isIgnored(rules, below, isFolder);
    if (verdict !== undefined) return verdict;
  }
  return false;
}
