import { rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { statOf } from '../snapshots/fileState.ts';
import { filePath, fileUri } from '../snapshots/pathChange.ts';
import type { Git } from './git.ts';
import { openRepository } from './gitRepository.ts';

/** In `_meta.git` of a session that has a working tree of its own. All but the branch are URIs. */
export const Worktree = z.object({ worktree: z.string(), branch: z.string(), repository: z.string() });
export type Worktree = z.infer<typeof Worktree>;

/**
 * A working tree with a branch of its own at the last commit, in a folder beside the repository.
 * @param folder absolute and real; the tree may begin above it
 * @returns the tree, and the same folder in it
 * @throws {Fault} `invalid_params` where there is no commit to begin from, `unavailable` where git did not do it
 */
export async function addWorktree(
  git: Git,
  folder: string,
  name: string,
): Promise<{ readonly folder: string; readonly worktree: Worktree }> {
  const repository = await openRepository(git, folder, true);
  if (!repository) throw new Fault('invalid_params', 'config.worktree: the folder is not in a Git repository');
  const { top } = repository;
  const hasCommit = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: top });
  if (hasCommit.code !== 0) throw new Fault('invalid_params', 'config.worktree: the repository has no commits yet');
  const path = join(`${top}.worktrees`, name);
  const branch = `switchboard/${name}`;
  try {
    await repository.run(['worktree', 'add', '--quiet', '-b', branch, path, 'HEAD']);
  } catch (thrown) {
    throw new Fault('unavailable', `Git could not create a worktree for ${basename(top)}.`, { cause: thrown });
  }
  const worktree = { worktree: fileUri(path), branch, repository: fileUri(top) };
  return { folder: fileUri(join(path, relative(top, folder))), worktree };
}

/**
 * Takes a session's tree away, unless it holds what is not committed. A branch with commits that are nowhere else stays.
 * @param meta of the session, whatever is in it
 * @returns the URI of a tree that was kept
 */
export async function removeWorktree(git: Git, meta: unknown): Promise<string | undefined> {
  const { data } = Worktree.safeParse(meta);
  const [path, top] = [data && filePath(data.worktree), data && filePath(data.repository)];
  if (!data || path === undefined || top === undefined) return undefined;
  const isThere = (await statOf(path)) !== undefined;
  // Without force git itself refuses to remove what was changed or added.
  if (isThere && (await git(['worktree', 'remove', path], { cwd: top })).code !== 0) return data.worktree;
  if (!isThere) await git(['worktree', 'prune'], { cwd: top });
  await git(['branch', '--quiet', '--delete', data.branch], { cwd: top });
  await rmdir(dirname(path)).catch(() => undefined); // other trees are in it
  return undefined;
}
