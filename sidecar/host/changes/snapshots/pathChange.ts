import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { URI } from 'vscode-uri';
import * as z from 'zod';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../../protocol/shared.ts';
import { contentUri } from '../../../protocol/uris.ts';
import { fromBytes, isWellFormed, shownName, toBytes } from '../../files/rawPath.ts';
import { absent, type FileState, isKept, type KeptFile, NotKept } from './fileState.ts';
import { LeftMark } from './leftFile.ts';

/** What happened to one path: a rename is two of these. */
export interface PathChange {
  /** Absolute real path. */
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** How many folders above the file came with it. */
  readonly newFolders?: number;
  /** Why the last undo left it as it is. */
  readonly left?: LeftMark;
}

/** The change without what an undo said of it. */
export function unmarked({ path, before, after, newFolders }: PathChange): PathChange {
  return { path, before, after, ...(newFolders !== undefined && { newFolders }) };
}

/** What a file of a changeset says about its sides besides the protocol's own fields; only the host writes it. */
const SideMeta = z.object({
  kind: z.enum(['file', 'link']),
  mode: z.int(),
  sha: z.string(),
  size: z.int(),
  notKept: NotKept.exactOptional(),
});
export const FileMeta = z.object({
  before: SideMeta.exactOptional(),
  after: SideMeta.exactOptional(),
  newFolders: z.int().exactOptional(),
  left: LeftMark.exactOptional(),
});
export type FileMeta = z.infer<typeof FileMeta>;

/** The one spelling of the URI of a file, so that URIs can be compared as text. */
export function fileUri(path: string): string {
  if (isWellFormed(path)) return URI.file(path).toString();
  // A byte that is no UTF-8 stands as it is, in per cent.
  const lone = /(\p{Surrogate})/u;
  const parts = path
    .split(lone)
    .map((it, n) => (n % 2 === 1 ? percent(toBytes(it)) : it.split('/').map(encodeURIComponent).join('/')));
  return `file://${parts.join('')}`;
}
export function filePath(uri: string): string | undefined {
  const parsed = URI.parse(uri);
  if (parsed.scheme !== 'file') return undefined;
  const bytes = /^file:\/\/(\/[^?#]*)$/.test(uri) ? bytesOf(uri.slice('file://'.length)) : undefined;
  return bytes && !isUtf8(bytes) ? fromBytes(bytes) : parsed.fsPath;
}

function percent(bytes: Buffer): string {
  return `%${bytes.toString('hex').toUpperCase()}`;
}

function bytesOf(encoded: string): Buffer {
  const parts = encoded.split(/%([0-9a-f]{2})/i);
  return Buffer.concat(parts.map((it, n) => (n % 2 === 1 ? Buffer.from(it, 'hex') : Buffer.from(it))));
}

/** `from` is the change that took the file away, when `change` brought it here (a rename). */
export function toChangesetFile(
  change: PathChange,
  from: PathChange | undefined,
  diff: FileEdit['diff'],
): ChangesetFile {
  const before = (from ?? change).before;
  const left = change.left ?? from?.left;
  const meta: FileMeta = {
    ...(isKept(before) && { before }),
    ...(isKept(change.after) && { after: change.after }),
    ...(change.newFolders && { newFolders: change.newFolders }),
    ...(left && { left }),
  };
  const edit: FileEdit = {
    ...(isKept(before) && { before: side((from ?? change).path, before) }),
    ...(isKept(change.after) && { after: side(change.path, change.after) }),
    ...(diff && { diff }),
  };
  return { id: (edit.after ?? edit.before)!.uri, edit, _meta: { ...meta } };
}

/** The way back: one change, or two for a rename. */
export function toPathChanges(file: ChangesetFile): PathChange[] {
  const meta = FileMeta.parse(file._meta ?? {});
  const from = file.edit.before && filePath(file.edit.before.uri);
  const to = file.edit.after && filePath(file.edit.after.uri);
  const before: FileState = meta.before ? toState(meta.before) : absent;
  const after: FileState = meta.after ? toState(meta.after) : absent;
  const more = {
    ...(meta.newFolders && { newFolders: meta.newFolders }),
    ...(meta.left && { left: meta.left }),
  };
  if (from !== undefined && to !== undefined && from !== to) {
    return [
      { path: from, before, after: absent },
      { path: to, before: absent, after, ...more },
    ];
  }
  const path = to ?? from;
  return path === undefined ? [] : [{ path, before, after, ...more }];
}

function toState({ notKept, ...kept }: z.infer<typeof SideMeta>): KeptFile {
  return notKept ? { ...kept, notKept } : kept;
}

function side(path: string, state: KeptFile): NonNullable<FileEdit['before']> {
  return {
    uri: fileUri(path),
    content: { uri: contentUri(state.sha, shownName(basename(path))), sizeHint: state.size, nonce: state.sha },
  };
}
