import { rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { statOf } from '../snapshots/fileState.ts';
import { filePath, fileUri } from '../snapshots/pathChange.ts';
import { prepareTree } from '../worktrees/prepareTree.ts';
import type { Git } from './git.ts';
import { looking, openRepository, staysOutside } from './gitRepository.ts';

/** In `_meta.git` of a session that has a working tree of its own. All but the branch are URIs. */
const Worktree = z.object({ worktree: z.string(), branch: z.string(), repository: z.string() });
export type Worktree = z.infer<typeof Worktree>;

/** The tree that a session has of its own, and its repository. @param meta of the session, whatever is in it */
export function treeOf(
  meta: unknown,
): { readonly path: string; readonly top: string; readonly data: Worktree } | undefined {
  const { data } = Worktree.safeParse(meta);
  const [path, top] = [data && filePath(data.worktree), data && filePath(data.repository)];
  return data && path !== undefined && top !== undefined ? { path, top, data } : undefined;
}

/** Where the trees of a repository are made, beside it. */
export const treesFolder = (top: string): string => `${top}.worktrees`;
/** The branch with which the tree of that name is made. */
export const ownBranch = (name: string): string => `switchboard/${name}`;

/**
 * A working tree with a branch of its own at the last commit, in a folder beside the repository.
 * @param folder absolute and real; the tree may begin above it
 * @param links folders of the repository to which the tree has links @see prepareTree
 * @returns the tree, and the same folder in it
 * @throws {Fault} `invalid_params` where there is no commit to begin from, `unavailable` where git did not do it
 */
export async function addWorktree(
  git: Git,
  folder: string,
  name: string,
  links: readonly string[] = [],
): Promise<{ readonly folder: string; readonly worktree: Worktree }> {
  const repository = await openRepository(git, folder, true);
  if (!repository) throw new Fault('invalid_params', 'config.worktree: the folder is not in a Git repository');
  const { top } = repository;
  const hasCommit = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: top });
  if (hasCommit.code !== 0) throw new Fault('invalid_params', 'config.worktree: the repository has no commits yet');
  const path = join(treesFolder(top), name);
  const branch = ownBranch(name);
  try {
    await repository.run(['worktree', 'add', '--quiet', '-b', branch, path, 'HEAD']);
  } catch (thrown) {
    throw new Fault('unavailable', `Git could not create a worktree for ${basename(top)}.`, { cause: thrown });
  }
  const worktree = { worktree: fileUri(path), branch, repository: fileUri(top) };
  try {
    await prepareTree(git, top, path, links);
  } catch (thrown) {
    await dropWorktree(git, worktree);
    throw thrown;
  }
  return { folder: fileUri(join(path, relative(top, folder))), worktree };
}

/**
 * Merges the branch of a session's tree into what is checked out in its repository. Where they conflict, nothing is merged.
 * @param meta of the session, whatever is in it
 * @throws {Fault} `invalid_params` where it has no tree, `unavailable` with a sentence for a person
 */
export async function mergeWorktree(
  git: Git,
  meta: unknown,
  report: (thrown: unknown) => void,
): Promise<{ readonly branch: string; readonly into: string; readonly commits: number }> {
  const tree = treeOf(meta);
  if (!tree) throw new Fault('invalid_params', 'channel: the session has no worktree of its own');
  const { path, top, data } = tree;
  const run = async (args: readonly string[], cwd: string) => {
    const { code, stdout } = await git(args, { cwd });
    return code === 0 ? stdout.toString('utf8').trim() : undefined;
  };
  const status = await run([...looking, 'status', '--porcelain', '--ignore-submodules=dirty'], path);
  if (status === undefined) throw new Fault('unavailable', 'The worktree was moved or deleted.');
  if (status !== '')
    throw new Fault('unavailable', 'The worktree has changes that are not committed. Commit them, and then try again.');
  const into = await run(['symbolic-ref', '--quiet', '--short', 'HEAD'], top);
  if (into === undefined)
    throw new Fault(
      'unavailable',
      'No branch is checked out in the repository. Check out a branch, and then try again.',
    );
  const commits = Number(await run(['rev-list', '--count', `HEAD..${data.branch}`], top));
  if (!Number.isInteger(commits)) throw new Fault('unavailable', `The branch ${data.branch} was not found.`);
  if (commits === 0) throw new Fault('unavailable', `${into} already contains all commits from ${data.branch}.`);
  const merged = await git([...staysOutside, 'merge', '--quiet', '--no-edit', data.branch], { cwd: top });
  if (merged.code === 0) return { branch: data.branch, into, commits };
  report(new Error(merged.stderr));
  const isHalf = (await run(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'], top)) !== undefined;
  if (isHalf) await run([...staysOutside, 'merge', '--abort'], top);
  throw new Fault(
    'unavailable',
    isHalf
      ? `Nothing was merged because ${data.branch} and ${into} conflict. Merge them in a terminal to resolve the conflicts.`
      : 'Git did not merge the branch. Uncommitted changes in the repository may be in the way. See the host log for the output from Git.',
  );
}

/**
 * Takes a session's tree away with its branch, whatever is in them.
 * @param meta of the session, whatever is in it
 * @returns the URI of a tree that Git could not remove
 */
export async function dropWorktree(git: Git, meta: unknown): Promise<string | undefined> {
  return takeAway(git, meta, ['--force'], '-D');
}

/**
 * Takes a session's tree away, unless it holds what is not committed. A branch with commits that are nowhere else stays.
 * @param meta of the session, whatever is in it
 * @returns the URI of a tree that was kept
 */
export async function removeWorktree(git: Git, meta: unknown): Promise<string | undefined> {
  // Without force git itself refuses to remove what was changed or added.
  return takeAway(git, meta, [], '--delete');
}

async function takeAway(
  git: Git,
  meta: unknown,
  force: readonly string[],
  branch: string,
): Promise<string | undefined> {
  const tree = treeOf(meta);
  if (!tree) return undefined;
  const { path, top, data } = tree;
  const removed = await git([...staysOutside, 'worktree', 'remove', ...force, path], { cwd: top });
  if (removed.code !== 0 && (await statOf(path)) !== undefined) return data.worktree;
  if (removed.code !== 0) await git(['worktree', 'prune'], { cwd: top });
  await git(['branch', '--quiet', branch, data.branch], { cwd: top });
  await rmdir(dirname(path)).catch(() => undefined); // other trees are in it
  return undefined;
}
