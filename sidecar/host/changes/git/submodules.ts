import { basename } from 'node:path';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../../protocol/shared.ts';
import { contentUri } from '../../../protocol/uris.ts';
import { shownName } from '../../files/rawPath.ts';
import { fileUri } from '../snapshots/pathChange.ts';
import { openRepository } from './gitRepository.ts';
import type { UncommittedDeps } from './uncommittedFiles.ts';
import { headOf, type StatusEntry } from './uncommittedStatus.ts';

/** A repository within a repository, as git's own diffs show it: by its commit, and whether it holds what it has not committed. */
export async function describeSubmodule({ git, keep }: UncommittedDeps, entry: StatusEntry): Promise<ChangesetFile> {
  const { path, head, isStaged: staged, isUnstaged: unstaged } = entry;
  const uri = fileUri(path);
  const side = async (commit: string, isDirty: boolean) => {
    const text = `Subproject commit ${commit}${isDirty ? '-dirty' : ''}\n`;
    const { sha, size } = await keep(Buffer.from(text));
    return { uri, content: { uri: contentUri(sha, shownName(basename(path))), sizeHint: size, nonce: sha } };
  };
  const inner = await openRepository(git, path);
  const own = inner?.top === path ? inner : undefined;
  const isDirty = own !== undefined && (await own.run(['status', '--porcelain=v1', '-z'])).length > 0;
  const before = head && (await side(head.object, false));
  const after = own && (await side(await headOf(own), isDirty));
  const edit: FileEdit = {
    ...(before && { before }),
    ...(after && { after }),
    diff: { added: after ? 1 : 0, removed: before ? 1 : 0 },
  };
  return { id: uri, edit, _meta: { git: { staged, unstaged, submodule: true } } };
}
