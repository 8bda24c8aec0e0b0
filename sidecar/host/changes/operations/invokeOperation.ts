import { Fault } from '../../../platform/faults.ts';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { ChangesetTarget, InvokeChangesetOperationResult } from '../../../protocol/commands.ts';
import type { OperationId, UndoneFile } from '../ledger/undone.ts';
import type { ContentStore } from '../snapshots/contentStore.ts';
import { isKept, type KeptFile } from '../snapshots/fileState.ts';
import { fileUri, toPathChanges } from '../snapshots/pathChange.ts';
import { chooseFiles, oneSpelling } from './chooseFiles.ts';
import { splitHunks } from './hunks.ts';
import { toAnswer } from './outcome.ts';
import { redoChanges, type UndoDeps, undoChanges, writePart } from './undoFiles.ts';

export interface OperationDeps extends UndoDeps {
  readonly content: ContentStore;
  /** Told which files were kept, so that the same bytes count as reviewed in the session's other changesets. */
  readonly onKept: (files: readonly ChangesetFile[]) => void;
}

/**
 * Runs one operation on one changeset. Scope and state were checked before.
 * @throws {Fault} when nothing of it could be done
 */
export async function invokeOperation(
  deps: OperationDeps,
  operation: OperationId,
  target: ChangesetTarget | undefined,
): Promise<InvokeChangesetOperationResult> {
  const { ledger } = deps;
  if (operation === 'redo') return toAnswer('redo', await redoChanges(deps, chooseUndone(ledger.undone, target)));
  const files = chooseFiles(ledger.state.files, target);
  if (target?.kind === 'range') return onRange(deps, operation, files[0]!, target);
  if (operation === 'keep') {
    deps.onKept(files);
    return {};
  }
  return toAnswer('undo', await undoChanges(deps, files.map(toPathChanges), operation === 'undo-overwrite'));
}

/** A part that is undone leaves the disk; a part that is kept leaves the difference, because it is what was before from now on. */
async function onRange(
  deps: OperationDeps,
  operation: OperationId,
  file: ChangesetFile,
  { range, side }: Extract<ChangesetTarget, { kind: 'range' }>,
): Promise<InvokeChangesetOperationResult> {
  const change = toPathChanges(file).find((it) => isKept(it.after));
  const all = toPathChanges(file);
  const before = all.find((it) => isKept(it.before))?.before;
  const after = change?.after;
  if (!change || !before || !isKept(before) || !after || !isKept(after) || before.notKept || after.notKept) {
    throw new Fault('invalid_params', 'a range is supported only for modified files', {
      data: { field: 'target.range' },
    });
  }
  const texts = [await deps.read(before.sha), await deps.read(after.sha)] as const;
  const split = splitHunks(...texts, range, side === 'before' ? 'before' : 'after');
  if (operation === 'keep') {
    if (split.kept.equals(texts[1])) {
      deps.onKept([file]);
      return {};
    }
    const kept: KeptFile = { ...before, ...(await deps.content.put(split.kept)) };
    const holder = all.find((it) => isKept(it.before))!;
    await deps.ledger.put([{ ...holder, before: kept }]);
    return {};
  }
  if (split.undone.equals(texts[0]) && all.length === 1) return toAnswer('undo', await undoChanges(deps, [all], false));
  return toAnswer('undo', await writePart(deps, change, { ...after, ...(await deps.content.put(split.undone)) }));
}

/** Without a target: the latest undo. */
function chooseUndone(undone: readonly UndoneFile[], target: ChangesetTarget | undefined): readonly UndoneFile[] {
  if (!target) {
    const latest = Math.max(...undone.map((it) => it.batch));
    return undone.filter((it) => it.batch === latest);
  }
  const wanted = oneSpelling(target.resource);
  const found = undone.find((it) => fileUri(it.path) === wanted);
  if (!found) throw new Fault('not_found', 'this file has no undone changes');
  return [found];
}
