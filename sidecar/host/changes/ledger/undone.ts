import * as z from 'zod';
import type { ChangesetFile, ChangesetOperation } from '../../../protocol/channels/changeset/schema.ts';
import { isWellFormed } from '../../files/rawPath.ts';
import { type FileState, isKept, NotKept } from '../snapshots/fileState.ts';
import { filePath, fileUri, type PathChange } from '../snapshots/pathChange.ts';
import { patchOperation, sessionGitOperations } from './viewOperations.ts';

const Kept = z.object({
  kind: z.enum(['file', 'link']),
  mode: z.int(),
  sha: z.string(),
  size: z.int(),
  notKept: NotKept.exactOptional(),
});
const State: z.ZodType<FileState> = z.union([
  z.object({ kind: z.enum(['absent', 'other']) }),
  Kept,
]) as z.ZodType<FileState>;
const Change: z.ZodType<PathChange> = z.object({
  path: z.string(),
  before: State,
  after: State,
  newFolders: z.int().exactOptional(),
});

/** What an undo did to one path, so that it can be taken back exactly. */
const UndoneFile = z.object({
  path: z.string(),
  /** Files of one undo have the same number; later undos have larger ones. */
  batch: z.int(),
  /** What the undo put on the disk. */
  restored: State,
  /** What was on the disk before. */
  replaced: State,
  /** The entry of the changeset before. */
  change: Change,
});
export type UndoneFile = z.infer<typeof UndoneFile>;

/** What an undo took away can be put back, unless nobody kept it: that must not stand in the way of what can. */
export function canRedo(replaced: FileState): boolean {
  return !isKept(replaced) || !replaced.notKept;
}

export type OperationId = 'keep' | 'undo' | 'undo-overwrite' | 'redo';

/** The redo operation carries what it would do: an operation lives as long as the changeset's state does. */
const RedoMeta = z.object({ undone: z.array(UndoneFile) });

export function readUndone(operations: readonly ChangesetOperation[]): readonly UndoneFile[] {
  const redo = operations.find((it) => it.id === 'redo');
  const read = RedoMeta.safeParse(redo && '_meta' in redo ? redo._meta : undefined);
  return read.success ? read.data.undone.map((it) => withPaths(it, (path) => filePathOf(path))) : [];
}

/** JSON of others takes no lone surrogates, so a path that is no UTF-8 is stored as its URI. */
function toStored(path: string): string {
  return isWellFormed(path) ? path : fileUri(path);
}
function filePathOf(stored: string): string {
  return stored.startsWith('file:') ? (filePath(stored) ?? stored) : stored;
}
function withPaths(it: UndoneFile, map: (path: string) => string): UndoneFile {
  return { ...it, path: map(it.path), change: { ...it.change, path: map(it.change.path) } };
}

/** The operations of a changeset as its files and the session are. */
export function operationsFor(
  files: readonly ChangesetFile[],
  undone: readonly UndoneFile[],
  isRunning: boolean,
  isInGit: boolean,
): ChangesetOperation[] {
  const canKeep = files.some((it) => !it.reviewed);
  const canUndo = files.length > 0 && !isRunning;
  const whole = ['changeset', 'resource'];
  const parts = [...whole, 'range'];
  const operations: ChangesetOperation[] = [
    { id: 'keep', label: 'Keep', scopes: parts, status: canKeep ? 'idle' : 'disabled', icon: 'check' },
    { id: 'undo', label: 'Undo', scopes: parts, status: canUndo ? 'idle' : 'disabled', icon: 'discard' },
    {
      id: 'undo-overwrite',
      label: 'Overwrite Changes…',
      scopes: whole,
      status: canUndo ? 'idle' : 'disabled',
      confirmation:
        'Any changes that you made after the agent wrote these files will be overwritten. You can reverse this once.',
      icon: 'warning',
    },
    ...(isInGit ? sessionGitOperations(files.length > 0, isRunning) : []),
    patchOperation(files.length > 0),
  ];
  if (undone.length === 0) return operations;
  const redo: ChangesetOperation & { _meta: z.infer<typeof RedoMeta> } = {
    id: 'redo',
    label: 'Redo',
    scopes: whole,
    status: isRunning ? 'disabled' : 'idle',
    icon: 'redo',
    _meta: { undone: undone.map((it) => withPaths(it, toStored)) },
  };
  return [...operations, redo];
}
