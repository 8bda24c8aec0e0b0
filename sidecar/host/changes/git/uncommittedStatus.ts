import { join } from 'node:path';
import { zFields } from './git.ts';
import type { GitRepository } from './gitRepository.ts';

/** One path that differs between the last commit and the disk, or the index. */
export interface StatusEntry {
  /** Absolute. */
  readonly path: string;
  /** What the last commit holds; absent for what it has not. */
  readonly head?: { readonly object: string; readonly mode: string };
  readonly isStaged: boolean;
  /** Whether the disk holds something else than the index. */
  readonly isUnstaged: boolean;
  readonly isTracked: boolean;
  /** A repository within this one. */
  readonly isSubmodule: boolean;
  /** Lines, where git counts them. */
  readonly counts?: { readonly added: number; readonly removed: number };
}

/** Files of a repository that git has not yet, in git's own order, at most `max`. */
export async function readStatus(
  repository: GitRepository,
  pathspecs: readonly string[],
  max: number,
): Promise<{ readonly entries: readonly StatusEntry[]; readonly isCut: boolean }> {
  const status = [
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    // Git would run programs that the settings of a repository within this one name.
    '--ignore-submodules=dirty',
  ];
  const fields = zFields(await repository.run([...status, '--', ...pathspecs]));
  const counts = await readCounts(repository, pathspecs);
  const entries = new Map<string, StatusEntry>();
  let isCut = false;
  for (const field of fields) {
    const found = parseField(field);
    if (!found) continue;
    if (entries.size >= max && !entries.has(found.name)) {
      isCut = true;
      break;
    }
    const known = entries.get(found.name);
    const path = join(repository.top, found.name);
    const counted = counts.get(found.name);
    const entry = { ...found.entry, path, ...(counted && { counts: counted }) };
    // Taken out of the index and still on the disk: both lines speak of one file.
    entries.set(found.name, known ? { ...known, isUnstaged: true } : entry);
  }
  return { entries: [...entries.values()], isCut };
}

function parseField(field: string): { name: string; entry: Omit<StatusEntry, 'path' | 'counts'> } | undefined {
  if (field.startsWith('? '))
    return { name: field.slice(2), entry: { isStaged: false, isUnstaged: true, isTracked: false, isSubmodule: false } };
  const parts = field.split(' ');
  const isConflict = parts[0] === 'u';
  if (parts[0] !== '1' && !isConflict) return undefined;
  const [, states = '..'] = parts;
  // In a conflict the second side is ours.
  const mode = parts[isConflict ? 4 : 3] ?? '';
  const object = parts[isConflict ? 8 : 6] ?? '';
  return {
    name: parts.slice(isConflict ? 10 : 8).join(' '),
    entry: {
      ...(mode !== '000000' && { head: { object, mode } }),
      isStaged: states[0] !== '.',
      isUnstaged: states[1] !== '.',
      isTracked: true,
      isSubmodule: parts[2]?.startsWith('S') === true,
    },
  };
}

async function readCounts(repository: GitRepository, pathspecs: readonly string[]) {
  const diff = ['diff', '--numstat', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules'];
  const output = await repository.run([...diff, await headOf(repository), '--', ...pathspecs]);
  const counts = new Map<string, { added: number; removed: number }>();
  for (const field of zFields(output)) {
    const [added = '-', removed = '-', ...name] = field.split('\t');
    if (added !== '-') counts.set(name.join('\t'), { added: Number(added), removed: Number(removed) });
  }
  return counts;
}

/** The last commit; before the first one the tree of nothing. */
export async function headOf(repository: GitRepository): Promise<string> {
  const found = await repository.run(['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => undefined); // no commit yet
  if (found) return found.toString('utf8').trim();
  return (await repository.run(['hash-object', '-t', 'tree', '--stdin'], { input: '' })).toString('utf8').trim();
}
