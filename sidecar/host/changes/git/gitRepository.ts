import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from '../snapshots/contentStore.ts';
import { isBelow } from '../snapshots/insideFolders.ts';
import type { Git } from './git.ts';
import { findRepository, type Repository } from './shadowRepository.ts';

/** The user's own repository, looked at or worked on with the user's own settings of git. */
export interface GitRepository extends Repository {
  /** @throws {Error} with git's own words; for the log */
  run(args: readonly string[], more?: { input?: string | Buffer; env?: Record<string, string> }): Promise<Buffer>;
}

/**
 * Nothing is done in repositories within a repository. An agent in a sandbox can change their settings, which name programs
 * that Git would run outside the sandbox.
 */
export const staysOutside = ['-c', 'submodule.recurse=false', '-c', 'diff.ignoreSubmodules=dirty'];
/** Looking starts no program that the repository names. */
export const looking = [
  ...staysOutside,
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false'],
];

/** @param hooks whether those of the repository may run */
export async function openRepository(git: Git, folder: string, hooks = false): Promise<GitRepository | undefined> {
  const repository = await findRepository(git, folder);
  if (!repository) return undefined;
  return {
    ...repository,
    async run(args, more = {}) {
      const all = [...(hooks ? staysOutside : looking), ...args];
      const { code, stdout, stderr } = await git(all, { cwd: repository.top, ...more });
      if (code !== 0)
        throw new Error(`git ${args.find((it) => !it.startsWith('-'))} exited with code ${code}: ${stderr}`);
      return stdout;
    },
  };
}

/** The paths (absolute) by the innermost repository that they lie in; those in none are left out. */
export async function byRepository(
  git: Git,
  paths: readonly string[],
  hooks = false,
): Promise<Map<GitRepository, string[]>> {
  const byFolder = new Map<string, GitRepository | undefined>();
  const byTop = new Map<string, GitRepository>();
  const found = new Map<GitRepository, string[]>();
  for (const path of paths) {
    const folder = await nearestFolder(dirname(path));
    if (!byFolder.has(folder)) byFolder.set(folder, await openRepository(git, folder, hooks));
    const own = byFolder.get(folder);
    if (!own || !isBelow(path, own.top)) continue;
    const repository = byTop.get(own.top) ?? own;
    byTop.set(own.top, repository);
    found.set(repository, [...(found.get(repository) ?? []), path]);
  }
  return found;
}

async function nearestFolder(folder: string): Promise<string> {
  try {
    return (await stat(folder)).isDirectory() ? folder : await nearestFolder(dirname(folder));
  } catch (thrown) {
    if (!isMissing(thrown) || dirname(folder) === folder) throw thrown;
    return nearestFolder(dirname(folder));
  }
}
