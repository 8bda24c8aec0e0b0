import { basename, dirname } from 'node:path';
import type { WorktreeHold } from '../../../protocol/channels/session/worktrees.ts';
import type { Git } from '../git/git.ts';
import { looking, openRepository } from '../git/gitRepository.ts';
import { withDirtySubmodules } from '../git/submodules.ts';
import { readStatus } from '../git/uncommittedStatus.ts';
import { ownBranch, treesFolder } from '../git/worktrees.ts';

/** A working tree that was made for a session, as its repository knows it. */
export interface FoundTree {
  /** Absolute. */
  readonly path: string;
  /** What is checked out; absent for no branch. */
  readonly branch?: string;
  readonly isLocked: boolean;
  /** Whether its folder is gone. */
  readonly isGone: boolean;
}

/** The tree that contains a folder, judged by its path. */
export function treeAround(path: string): string | undefined {
  return /^.+\.worktrees[\\/][^\\/]+/.exec(path)?.[0];
}

/** The repository whose tree a folder is, judged by its path; `undefined` if it cannot be a tree of a session. */
export function repositoryOfTree(path: string): string | undefined {
  const suffix = treesFolder('');
  const parent = dirname(path);
  return parent.endsWith(suffix) && basename(parent) !== suffix ? parent.slice(0, -suffix.length) : undefined;
}

/**
 * The trees of a repository that the host made: beside it, with the branch that the host gives them, or of a session. A
 * person's own worktrees, which may be in the same folder, are not among them.
 * @param top absolute @param ofSessions paths of the trees in which sessions work
 */
export async function foundTrees(git: Git, top: string, ofSessions: ReadonlySet<string>): Promise<FoundTree[]> {
  const { code, stdout } = await git([...looking, 'worktree', 'list', '--porcelain'], { cwd: top });
  if (code !== 0) return [];
  const found = stdout.toString('utf8').split('\n\n').flatMap(toTree);
  return found.filter(
    ({ path, branch }) =>
      dirname(path) === treesFolder(top) && (branch === ownBranch(basename(path)) || ofSessions.has(path)),
  );
}

function toTree(text: string): FoundTree[] {
  const fields = new Map(text.split('\n').map((it) => [it.split(' ', 1)[0] ?? '', it.slice(it.indexOf(' ') + 1)]));
  const path = fields.get('worktree');
  const branch = fields.get('branch')?.replace(/^refs\/heads\//, '');
  if (path === undefined) return [];
  const isLocked = fields.has('locked');
  return [{ path, ...(branch !== undefined && { branch }), isLocked, isGone: fields.has('prunable') }];
}

/** What would be lost if a tree were removed. */
export async function holdsOf(git: Git, { path, isGone }: FoundTree): Promise<WorktreeHold[]> {
  if (isGone) return [];
  const run = async (args: readonly string[]) => {
    const { code, stdout } = await git([...looking, ...args], { cwd: path });
    return code === 0 ? stdout.toString('utf8') : undefined;
  };
  const own = ownBranch(basename(path));
  const isThere = (await run(['rev-parse', '--verify', '--quiet', `refs/heads/${own}`])) !== undefined;
  const heads = ['HEAD', ...(isThere ? [`refs/heads/${own}`] : [])];
  const others = ['--not', `--exclude=${own}`, '--branches', '--remotes', '--tags'];
  const [files, count] = await Promise.all([dirtyIn(git, path), run(['rev-list', '--count', ...heads, ...others])]);
  const commits = Number(count ?? Number.NaN);
  if (files === undefined || !Number.isInteger(commits)) return [{ kind: 'unreadable' }];
  return [
    ...(files > 0 ? [{ kind: 'uncommitted', files } as const] : []),
    ...(commits > 0 ? [{ kind: 'unpushed', commits } as const] : []),
  ];
}

/** How many files are not committed, repositories within the tree included; `undefined` where Git cannot tell. */
async function dirtyIn(git: Git, path: string): Promise<number | undefined> {
  const repository = await openRepository(git, path);
  if (!repository) return undefined;
  try {
    const { entries } = await readStatus(repository, [], Number.POSITIVE_INFINITY);
    return (await withDirtySubmodules(git, repository, [], entries)).length;
  } catch {
    return undefined;
  }
}
