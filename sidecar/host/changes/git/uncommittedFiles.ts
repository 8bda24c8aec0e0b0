import { lstat, readFile } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../../protocol/shared.ts';
import { contentUri } from '../../../protocol/uris.ts';
import { shownName, toFs } from '../../files/rawPath.ts';
import { isMissing, type Stored } from '../snapshots/contentStore.ts';
import { isBinary, toLines } from '../snapshots/lineCounts.ts';
import { fileUri } from '../snapshots/pathChange.ts';
import { readBlobs } from './blobs.ts';
import type { Git } from './git.ts';
import { type GitRepository, openRepository } from './gitRepository.ts';
import { describeSubmodule, withDirtySubmodules } from './submodules.ts';
import { readStatus, type StatusEntry } from './uncommittedStatus.ts';

export interface UncommittedDeps {
  readonly git: Git;
  /** Keeps what the last commit holds, for as long as the session lives. */
  readonly keep: (bytes: Uint8Array) => Promise<Stored>;
}
export interface Uncommitted {
  readonly files: readonly ChangesetFile[];
  /** Git directories, which show commits and changes of the index. */
  readonly gitFolders: readonly string[];
  readonly isCut: boolean;
}

/** Most files that are shown. */
export const MAX_UNCOMMITTED = 1_000;
/** Of the last commit's bytes, the largest file that is kept. */
const MAX_BEFORE_BYTES = 8 * 1024 * 1024;
/** New files up to this size are counted by lines. */
const MAX_COUNTED_BYTES = 1024 * 1024;

/** What the folders hold and git has not; `undefined` where none of them is in a repository. */
export async function readUncommitted(
  deps: UncommittedDeps,
  folders: readonly string[],
): Promise<Uncommitted | undefined> {
  const scopes = new Map<string, { repository: GitRepository; folders: string[] }>();
  for (const folder of folders) {
    const repository = await openRepository(deps.git, folder);
    if (!repository) continue;
    const known = scopes.get(repository.top);
    scopes.set(repository.top, { repository, folders: [...(known?.folders ?? []), folder] });
  }
  if (scopes.size === 0) return undefined;
  const files: ChangesetFile[] = [];
  let isCut = false;
  for (const { repository, folders: own } of scopes.values()) {
    const pathspecs = pathspecsOf(repository, own);
    const found = await readStatus(repository, pathspecs, MAX_UNCOMMITTED - files.length);
    const entries = await withDirtySubmodules(deps.git, repository, pathspecs, found.entries);
    files.push(...(await toFiles(deps, repository, entries)));
    isCut ||= found.isCut;
  }
  const gitFolders = [...scopes.values()].map(({ repository }) => repository.index.replace(/[/\\]index$/, ''));
  return { files, gitFolders, isCut };
}

/** Nothing for the whole repository. */
export function pathspecsOf({ top }: GitRepository, folders: readonly string[]): string[] {
  const names = folders.map((it) => relative(top, it).replaceAll(sep, '/'));
  return names.includes('') ? [] : names.map((it) => `:(top,literal)${it}`);
}

async function toFiles(
  deps: UncommittedDeps,
  repository: GitRepository,
  entries: readonly StatusEntry[],
): Promise<ChangesetFile[]> {
  const { keep } = deps;
  const inFiles = entries.filter((it) => !it.isSubmodule);
  const objects = [...new Set(inFiles.flatMap((it) => (it.head ? [it.head.object] : [])))];
  const blobs = await readBlobs(
    (args, input) => repository.run(args, input === undefined ? {} : { input }),
    MAX_BEFORE_BYTES,
    objects,
  );
  const files: ChangesetFile[] = [];
  for (const entry of entries) {
    const { path, head } = entry;
    if (entry.isSubmodule) {
      files.push(await describeSubmodule(deps, repository, entry));
      continue;
    }
    const uri = fileUri(path);
    const after = await afterOf(path);
    if (!head && !after) continue; // came and went
    const before = head && {
      uri,
      content: await beforeContent(path, head.object, blobs.get(head.object), keep),
    };
    const diff = entry.counts ?? (head ? undefined : await countNew(path, after?.sizeHint ?? 0));
    const edit: FileEdit = {
      ...(before && { before }),
      ...(after && { after: { uri, content: after } }),
      ...(diff && { diff }),
    };
    const { isStaged: staged, isUnstaged: unstaged } = entry;
    files.push({ id: uri, edit, _meta: { git: { staged, unstaged } } });
  }
  return files;
}

async function beforeContent(
  path: string,
  object: string,
  bytes: Buffer | string | undefined,
  keep: UncommittedDeps['keep'],
): Promise<NonNullable<FileEdit['before']>['content']> {
  const { sha, size } = await keep(
    Buffer.isBuffer(bytes) ? bytes : Buffer.from(`Switchboard did not save ${object}: it is too large.\n`),
  );
  return { uri: contentUri(sha, shownName(basename(path))), sizeHint: size, nonce: sha };
}

/** What is on the disk is read from there: it changes all the time, and none of it is kept. */
async function afterOf(path: string): Promise<NonNullable<FileEdit['after']>['content'] | undefined> {
  try {
    const stats = await lstat(toFs(path), { bigint: true });
    if (!stats.isFile() && !stats.isSymbolicLink()) return undefined;
    const nonce = `${stats.size} ${stats.mtimeNs} ${stats.mode}`;
    return { uri: fileUri(path), sizeHint: Number(stats.size), nonce };
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

async function countNew(path: string, size: number): Promise<FileEdit['diff']> {
  if (size > MAX_COUNTED_BYTES) return undefined;
  const bytes = await readFile(toFs(path)).catch(() => undefined); // gone again, or not for us to read: not counted
  return bytes && !isBinary(bytes) ? { added: toLines(bytes).length, removed: 0 } : undefined;
}
