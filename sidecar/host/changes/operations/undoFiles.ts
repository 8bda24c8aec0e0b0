import type { ChangesetLedger } from '../ledger/changesetLedger.ts';
import { canRedo, type UndoneFile } from '../ledger/undone.ts';
import type { FileState } from '../snapshots/fileState.ts';
import type { LeftFile } from '../snapshots/leftFile.ts';
import { type PathChange, unmarked } from '../snapshots/pathChange.ts';
import { type ApplyDeps, applySteps, type JudgedStep, type Step } from './applySteps.ts';
import type { Outcome } from './outcome.ts';

export interface UndoDeps extends ApplyDeps {
  readonly ledger: ChangesetLedger;
  /** Told what an operation did, so that other changesets of the session stay true. */
  readonly onWritten: (written: readonly Written[]) => Promise<void>;
}

/** What an operation did to one path. */
export interface Written {
  readonly kind: 'undo' | 'part' | 'redo';
  readonly path: string;
  /** What the changeset held for it, and what it holds now. */
  readonly from: FileState;
  readonly to: FileState;
  /** What was on the disk, which a person may have changed since. */
  readonly replaced: FileState;
}

/**
 * Puts back what was there before the agent, as much of it as can be. What is left stays in the changeset, with the reason.
 * @param files the changes of each file: one, or two for a rename
 * @param overwrite also where the disk holds something else by now
 */
export async function undoChanges(
  deps: UndoDeps,
  files: readonly (readonly PathChange[])[],
  overwrite: boolean,
): Promise<Outcome> {
  const { ledger } = deps;
  const toStep = (it: PathChange): Step => ({
    path: it.path,
    expected: it.after,
    wanted: it.before,
    newFolders: it.newFolders ?? 0,
  });
  const { done, left } = await applySteps(
    deps,
    files.map((it) => it.map(toStep)),
    overwrite,
  );
  const byPath = new Map(files.flat().map((it) => [it.path, unmarked(it)]));
  const batch = ledger.nextBatch;
  const undone = done.map(
    ({ path, wanted, found }): UndoneFile => ({
      path,
      batch,
      restored: wanted,
      replaced: found,
      change: byPath.get(path)!,
    }),
  );
  const gone = undone.map(({ change }) => ({ ...change, after: change.before }));
  await ledger.put([...gone, ...marked(left, byPath)]);
  const paths = new Set(done.map((it) => it.path));
  ledger.setOperations(false, [
    ...ledger.undone.filter((it) => !paths.has(it.path)),
    ...undone.filter((it) => canRedo(it.replaced)),
  ]);
  await deps.onWritten(
    undone.map(({ path, replaced, change }) => ({
      kind: 'undo',
      path,
      from: change.after,
      to: change.before,
      replaced,
    })),
  );
  return { files: countFiles(files, done), left };
}

/** Puts a file to `content`, a state between before and after, when the disk holds the agent's after. */
export async function writePart(deps: UndoDeps, change: PathChange, content: FileState): Promise<Outcome> {
  const { ledger } = deps;
  const step = { path: change.path, expected: change.after, wanted: content, newFolders: 0 };
  const { done, left } = await applySteps(deps, [[step]], false);
  const plain = unmarked(change);
  const batch = ledger.nextBatch;
  const others = ledger.undone.filter((it) => done.length === 0 || it.path !== change.path);
  const undone = done.map(({ path, found }) => ({ path, batch, restored: content, replaced: found, change: plain }));
  await ledger.put(done.map(() => ({ ...plain, after: content })));
  ledger.setOperations(false, [...others, ...undone.filter((it) => canRedo(it.replaced))]);
  await deps.onWritten(
    done.map(({ path, found }) => ({ kind: 'part', path, from: change.after, to: content, replaced: found })),
  );
  return { files: done.length, left };
}

/** Takes an undo back: what it replaced is on the disk again, and in the changeset. */
export async function redoChanges(deps: UndoDeps, undone: readonly UndoneFile[]): Promise<Outcome> {
  const { ledger } = deps;
  const groups = undone.map((it): Step[] => [
    { path: it.path, expected: it.restored, wanted: it.replaced, newFolders: it.change.newFolders ?? 0 },
  ]);
  const { done, left } = await applySteps(deps, groups, false);
  const byPath = new Map(undone.map((it) => [it.path, it]));
  const paths = new Set(done.map((it) => it.path));
  await ledger.put(done.map((it) => byPath.get(it.path)!.change));
  ledger.setOperations(
    false,
    ledger.undone.filter((it) => !paths.has(it.path)),
  );
  await deps.onWritten(
    done.map(({ path, found }) => {
      const { restored, change } = byPath.get(path)!;
      return { kind: 'redo', path, from: restored, to: change.after, replaced: found };
    }),
  );
  return { files: done.length, left };
}

function marked(left: readonly LeftFile[], byPath: ReadonlyMap<string, PathChange>): PathChange[] {
  return left.map(({ path, reason, message }) => ({ ...byPath.get(path)!, left: { reason, message } }));
}

/** A file counts when any of it was written. */
function countFiles(files: readonly (readonly PathChange[])[], done: readonly JudgedStep[]): number {
  const paths = new Set(done.map((it) => it.path));
  return files.filter((changes) => changes.some((it) => paths.has(it.path))).length;
}
