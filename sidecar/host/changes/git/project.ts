import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ProjectInfo } from '../../../protocol/channels/session/schema.ts';
import { isMissing } from '../snapshots/contentStore.ts';
import { fileUri } from '../snapshots/pathChange.ts';

/**
 * What a session in `folder` belongs to: the repository around it (of a worktree the one that it was made from), or the
 * folder itself where there is none. Reads names only: no git is started for it.
 */
export async function projectOf(folder: string): Promise<ProjectInfo> {
  const around = await repositoryAround(folder);
  const root = (around && (await mainOf(around))) ?? around ?? folder;
  return { uri: fileUri(root), displayName: basename(root) || root };
}

/** The folder of the repository or worktree around `folder`. */
export async function repositoryAround(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(join(at, '.git')).catch(none);
    // An empty folder is no repository. A sandbox creates one to prevent its programs from creating a repository.
    if (found && (!found.isDirectory() || (await stat(join(at, '.git', 'HEAD')).catch(none)))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** A worktree says in two files where the repository is that it belongs to; a submodule is a project of its own. */
async function mainOf(top: string): Promise<string | undefined> {
  const pointer = await readFile(join(top, '.git'), 'utf8').catch(none);
  const gitDir = /^gitdir: (.+)$/m.exec(pointer ?? '')?.[1];
  if (gitDir === undefined) return undefined;
  const own = resolve(top, gitDir);
  const common = await readFile(join(own, 'commondir'), 'utf8').catch(none);
  const shared = common === undefined ? undefined : resolve(own, common.trim());
  return shared !== undefined && basename(shared) === '.git' ? dirname(shared) : undefined;
}

function none(thrown: unknown): undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (isMissing(thrown) || code === 'EACCES' || code === 'EPERM' || code === 'EISDIR') return undefined;
  throw thrown;
}
