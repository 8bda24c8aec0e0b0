import type { ChangesetFile } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import { CONTENT_SCHEME } from '../../client/contentUris.ts';

/** What an agent changed, as far as this window knows it. */
export interface ReviewSet {
  readonly changeset: string;
  /** Whose files these are: empty for this machine, otherwise as in the editor's URIs of that host. */
  readonly authority: string;
  readonly files: readonly ChangesetFile[];
}

/** A file of a changeset. */
export interface ReviewFile {
  readonly set: ReviewSet;
  readonly file: ChangesetFile;
}

interface Shown {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** Where the file is, or where it was. */
export function pathOf({ edit, id }: ChangesetFile): string {
  const uri = edit.after?.uri ?? edit.before?.uri ?? id;
  const path = uri.replace(/^file:\/\/[^/]*/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a lone `%` in a name that was never encoded
  }
}

/** The paths of the files that wait for a decision, for a `when` clause. */
export function pendingPaths(sets: readonly ReviewSet[]): string[] {
  return [...new Set(sets.flatMap((it) => it.files.filter((file) => !file.reviewed).map(pathOf)))].sort();
}

/** The file that an editor shows: in the first changeset where it waits, or else in the first that has it. */
export function reviewFileAt(sets: readonly ReviewSet[], shown: Shown): ReviewFile | undefined {
  const authority = shown.scheme === CONTENT_SCHEME ? shown.authority : '';
  const found = sets
    .filter((it) => it.authority === authority)
    .flatMap((set) => set.files.filter((file) => pathOf(file) === shown.path).map((file) => ({ set, file })));
  return found.find((it) => !it.file.reviewed) ?? found[0];
}

/** The other files that wait in the same changeset: the one after it first, and in the end the one before it. */
export function othersPending({ set, file }: ReviewFile): ReviewFile[] {
  const at = set.files.findIndex((it) => it.id === file.id);
  return [...set.files.slice(at + 1), ...set.files.slice(0, Math.max(0, at))]
    .filter((it) => !it.reviewed)
    .map((it) => ({ set, file: it }));
}

export function countReviewed({ files }: ReviewSet): { readonly reviewed: number; readonly all: number } {
  return { reviewed: files.filter((it) => it.reviewed).length, all: files.length };
}
