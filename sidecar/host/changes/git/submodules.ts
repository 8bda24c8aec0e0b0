import { basename, join } from 'node:path';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../../protocol/shared.ts';
import { contentUri } from '../../../protocol/uris.ts';
import { shownName } from '../../files/rawPath.ts';
import { fileUri } from '../snapshots/pathChange.ts';
import type { Git } from './git.ts';
import { type GitRepository, openRepository } from './gitRepository.ts';
import { readSubmodules } from './readIndex.ts';
import type { Repository } from './shadowRepository.ts';
import type { UncommittedDeps } from './uncommittedFiles.ts';
import { headOf, type StatusEntry } from './uncommittedStatus.ts';

/**
 * Adds what is missing from a status that does not enter repositories within the repository: those with uncommitted changes.
 */
export async function withDirtySubmodules(
  git: Git,
  repository: GitRepository,
  pathspecs: readonly string[],
  entries: readonly StatusEntry[],
): Promise<readonly StatusEntry[]> {
  const found = new Map(entries.map((it) => [it.path, it]));
  for (const [name, { object, mode }] of await readSubmodules(repository, pathspecs)) {
    const path = join(repository.top, name);
    const known = found.get(path);
    const inner = known?.isUnstaged ? undefined : await checkedOut(git, path);
    if (!inner || !(await isDirty(repository, inner, await headOf(inner)))) continue;
    const head = { object, mode };
    const entry = known ?? { path, head, isStaged: false, isTracked: true, isSubmodule: true };
    found.set(path, { ...entry, isUnstaged: true });
  }
  return [...found.values()];
}

/** Its commit is read, which starts no program. One that was never checked out is an empty folder. */
async function checkedOut(git: Git, path: string): Promise<GitRepository | undefined> {
  const inner = await openRepository(git, path);
  return inner?.top === path ? inner : undefined;
}

/**
 * Whether a repository within another one has uncommitted changes. An agent can change its settings, which name programs
 * that Git runs. Therefore, its files and its index are compared under the settings of the outer one.
 */
async function isDirty(outer: GitRepository, inner: Repository, commit: string): Promise<boolean> {
  const env = { GIT_WORK_TREE: inner.top, GIT_INDEX_FILE: inner.index, GIT_OBJECT_DIRECTORY: inner.objects };
  const run = async (args: readonly string[]) => (await outer.run(args, { env })).length > 0;
  const diff = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];
  return (
    (await run([...diff, commit])) ||
    (await run(['ls-files', '-z', '--others', '--exclude-standard', '--directory', '--no-empty-directory']))
  );
}

/** A repository within a repository, as git's own diffs show it: by its commit, and whether it holds what it has not committed. */
export async function describeSubmodule(
  { git, keep }: UncommittedDeps,
  outer: GitRepository,
  entry: StatusEntry,
): Promise<ChangesetFile> {
  const { path, head, isStaged: staged, isUnstaged: unstaged } = entry;
  const uri = fileUri(path);
  const side = async (commit: string, isDirty: boolean) => {
    const text = `Subproject commit ${commit}${isDirty ? '-dirty' : ''}\n`;
    const { sha, size } = await keep(Buffer.from(text));
    return { uri, content: { uri: contentUri(sha, shownName(basename(path))), sizeHint: size, nonce: sha } };
  };
  const own = await checkedOut(git, path);
  const before = head && (await side(head.object, false));
  const commit = own && (await headOf(own));
  const after = own && commit !== undefined && (await side(commit, await isDirty(outer, own, commit)));
  const edit: FileEdit = {
    ...(before && { before }),
    ...(after && { after }),
    diff: { added: after ? 1 : 0, removed: before ? 1 : 0 },
  };
  return { id: uri, edit, _meta: { git: { staged, unstaged, submodule: true } } };
}
