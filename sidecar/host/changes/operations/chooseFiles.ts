import { Fault } from '../../../platform/faults.ts';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { ChangesetTarget } from '../../../protocol/commands.ts';
import { filePath, fileUri } from '../snapshots/pathChange.ts';

/** @throws {Fault} `not_found`, `invalid_params` */
export function chooseFiles(
  files: readonly ChangesetFile[],
  target: ChangesetTarget | undefined,
): readonly ChangesetFile[] {
  if (!target) return files;
  const wanted = oneSpelling(target.resource);
  const file =
    files.find(({ edit }) => edit.after?.uri === wanted) ?? files.find(({ edit }) => edit.before?.uri === wanted);
  if (!file) throw new Fault('not_found', 'this file is not in the changeset');
  return [file];
}

/** @throws {Fault} `invalid_params` */
export function oneSpelling(uri: string): string {
  const path = filePath(uri);
  if (path === undefined)
    throw new Fault('invalid_params', 'must be the URI of a file', { data: { field: 'target.resource' } });
  return fileUri(path);
}
