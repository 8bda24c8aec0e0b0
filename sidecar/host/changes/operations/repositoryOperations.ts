import { copyFile, rm } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import { newTemporaryName } from '../../../platform/temporaryName.ts';
import { isWellFormed } from '../../files/rawPath.ts';
import { type Git, zFields } from '../git/git.ts';
import { byRepository, type GitRepository, openRepository } from '../git/gitRepository.ts';
import { isSubmodule, readIndex } from '../git/readIndex.ts';
import { pathspecsOf } from '../git/uncommittedFiles.ts';
import { headOf } from '../git/uncommittedStatus.ts';
import { withIndex } from '../git/withIndex.ts';
import { isMissing } from '../snapshots/contentStore.ts';
import { statOf } from '../snapshots/fileState.ts';

export interface RepositoryDeps {
  readonly git: Git;
  /** Absolute real paths. */
  readonly folders: readonly string[];
  /** Whether the session has a sandbox. */
  readonly isSandboxed: boolean;
  /** For git's own words, which may name paths. */
  readonly report: (thrown: unknown) => void;
}

const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'];

/** Puts files (absolute paths) into the index as they are on the disk. @returns how many @throws {Fault} `unavailable` */
export async function stage(deps: RepositoryDeps, paths: readonly string[]): Promise<number> {
  const repositories = refuseInner(deps, await byRepository(deps.git, paths));
  let count = 0;
  for (const [repository, own] of repositories) count += (await stageIn(deps, repository, own)).length;
  if (count === 0) throw new Fault('unavailable', 'There is nothing to stage: these files are not in a repository.');
  return count;
}

/** Commits these files alone, as they are on the disk. @returns the short names of the commits @throws {Fault} `unavailable` */
export async function commitFiles(deps: RepositoryDeps, paths: readonly string[], message: string): Promise<string[]> {
  const commits: string[] = [];
  for (const [repository, own] of refuseInner(deps, await byRepository(deps.git, paths, true))) {
    const done = await withIndex(deps, repository, async (staged) => {
      const input = await stageIn(deps, repository, own);
      await staged();
      // Without a change, Git would show the status, for which it enters the repositories within this one.
      return (await isStaged(repository, input))
        ? commit(deps, repository, message, ['--only', ...fromInput], input)
        : undefined;
    });
    if (done !== undefined) commits.push(done);
  }
  if (commits.length === 0) throw nothing();
  return commits;
}

/**
 * Git runs the hooks and filters that a repository names. A program in the sandbox can write those of a repository within the
 * session's folders, but not those of the folders themselves. @throws {Fault} `forbidden`
 */
function refuseInner<T>(
  { folders, isSandboxed }: RepositoryDeps,
  repositories: ReadonlyMap<GitRepository, T>,
): ReadonlyMap<GitRepository, T> {
  const isInner = ({ top }: GitRepository) =>
    !folders.includes(top) && folders.some((it) => top.startsWith(`${it}${sep}`));
  const inner = isSandboxed ? [...repositories.keys()].find(isInner) : undefined;
  if (!inner) return repositories;
  throw new Fault(
    'forbidden',
    `Nothing was done because the repository "${basename(inner.top)}" is within the session's folder. Programs in the sandbox can change which programs Git runs in it. Check its settings, and then use Git in a terminal.`,
  );
}

/** Commits what is staged in the repositories of `folders`. @throws {Fault} `unavailable` */
export async function commitStaged(
  deps: RepositoryDeps,
  folders: readonly string[],
  message: string,
): Promise<string[]> {
  const commits = new Map<string, string>();
  for (const folder of folders) {
    const repository = await openRepository(deps.git, folder, true);
    if (!repository || commits.has(repository.top)) continue;
    const staged = await repository.run(['diff', '--cached', '--name-only', '-z', await headOf(repository)]);
    if (staged.length > 0) commits.set(repository.top, await commit(deps, repository, message, []));
  }
  if (commits.size === 0) throw nothing();
  return [...commits.values()];
}

/** A patch of what git has not, in git's own words, new files included; with `only` (absolute paths) of these alone. */
export async function uncommittedPatch(
  deps: RepositoryDeps & { readonly temporary: string },
  folders: readonly string[],
  only: readonly string[],
): Promise<Buffer> {
  const parts = new Map<string, Buffer>();
  for (const folder of folders) {
    const repository = await openRepository(deps.git, folder);
    if (!repository || parts.has(repository.top)) continue;
    const index = join(deps.temporary, newTemporaryName('index-'));
    const env = { GIT_INDEX_FILE: index };
    try {
      await copyFile(repository.index, index).catch((thrown: unknown) => {
        if (!isMissing(thrown)) throw thrown; // before the first file was staged
      });
      const paths = namesIn(repository, only.length > 0 ? only : []);
      const specs =
        only.length > 0
          ? paths
          : pathspecsOf(
              repository,
              folders.filter((it) => isIn(repository, it)),
            );
      if (only.length > 0 && paths.length === 0) continue;
      const literal = only.length > 0 ? ['--literal-pathspecs'] : [];
      // Names one by one: of a folder, Git would enter the repositories within it.
      const others = ['ls-files', '-z', '--others', '--exclude-standard', '--', ...specs];
      const added = zFields(await repository.run([...literal, ...others], { env })).filter((it) => !it.endsWith('/'));
      const input = `${added.join('\0')}\0`;
      if (added.length > 0)
        await repository.run(['--literal-pathspecs', 'add', '--intent-to-add', ...fromInput], { env, input });
      const diff = ['diff', '--binary', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
      diff.push('--ignore-submodules=dirty');
      const prefixes = ['--src-prefix=a/', '--dst-prefix=b/'];
      const head = await headOf(repository);
      parts.set(
        repository.top,
        await repository.run([...literal, ...diff, ...prefixes, head, '--', ...specs], { env }),
      );
    } finally {
      await rm(index, { force: true });
    }
  }
  return Buffer.concat([...parts.values()]);
}

/** The names of what can be staged: not what git ignores, and not what is neither on the disk nor known to git. */
async function stageIn(deps: RepositoryDeps, repository: GitRepository, paths: readonly string[]): Promise<string[]> {
  const names = namesIn(repository, paths);
  const input = `${names.join('\0')}\0`;
  const ignored = new Set(await ignoredAmong(repository, input));
  // An argument is UTF-8, so for another name all are listed.
  const only = names.every(isWellFormed) ? names : [];
  const index = await readIndex(repository, only, ['--literal-pathspecs']);
  const tracked = new Set(index.map((it) => it.name));
  const wanted: string[] = [];
  for (const name of names) {
    const isThere = tracked.has(name) || (await statOf(join(repository.top, name))) !== undefined;
    if (isThere && !ignored.has(name)) wanted.push(name);
  }
  if (wanted.length === 0) return [];
  const links = new Set(index.filter(isSubmodule).map((it) => it.name));
  const [inner, files] = [wanted.filter((it) => links.has(it)), wanted.filter((it) => !links.has(it))];
  const add = ['--literal-pathspecs', 'add', '--all', ...fromInput];
  try {
    if (files.length > 0) await repository.run(add, { input: `${files.join('\0')}\0` });
    // To add a repository within this one, Git would look for changes in it.
    const update = ['update-index', '--add', '--remove', '-z', '--stdin'];
    if (inner.length > 0) await repository.run(update, { input: `${inner.join('\0')}\0` });
  } catch (thrown) {
    deps.report(thrown);
    throw new Fault('unavailable', 'Git could not stage these files.', { cause: thrown });
  }
  return wanted;
}

/** Its code is 1 where none is. */
async function ignoredAmong(repository: GitRepository, input: string): Promise<string[]> {
  const none = () => Buffer.alloc(0);
  return zFields(await repository.run(['check-ignore', '-z', '--stdin'], { input }).catch(none));
}

async function isStaged(repository: GitRepository, names: readonly string[]): Promise<boolean> {
  if (names.length === 0) return false;
  const wanted = new Set(names);
  const diff = ['diff', '--cached', '--name-only', '--no-renames', '-z', await headOf(repository)];
  return zFields(await repository.run(diff)).some((it) => wanted.has(it));
}

async function commit(
  deps: RepositoryDeps,
  repository: GitRepository,
  message: string,
  more: readonly string[],
  names: readonly string[] = [],
): Promise<string> {
  const args = ['--literal-pathspecs', 'commit', '--quiet', '--message', message, ...more];
  try {
    await repository.run(args, names.length > 0 ? { input: `${names.join('\0')}\0` } : {});
  } catch (thrown) {
    deps.report(thrown);
    throw new Fault('unavailable', whyNot(thrown), { cause: thrown });
  }
  return (await repository.run(['rev-parse', '--short', 'HEAD'])).toString('utf8').trim();
}

function whyNot(thrown: unknown): string {
  const words = thrown instanceof Error ? thrown.message : '';
  if (words.includes('tell me who you are') || words.includes('ident name'))
    return 'Git does not have both a username and an email address configured. Set them with "git config --global user.name" and "git config --global user.email", and then try again.';
  return 'Git did not commit the changes. A hook may have rejected the commit, or a merge may be in progress. See the host log for the output from Git.';
}

function nothing(): Fault {
  return new Fault('unavailable', 'There is nothing to commit.');
}

function namesIn({ top }: GitRepository, paths: readonly string[]): string[] {
  return paths.filter((it) => isIn({ top }, it)).map((it) => relative(top, it).replaceAll(sep, '/'));
}
function isIn({ top }: { readonly top: string }, path: string): boolean {
  return path === top || path.startsWith(`${top}${sep}`);
}
