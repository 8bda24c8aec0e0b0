import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { ChangesetLedger } from '../ledger/changesetLedger.ts';
import { sameState } from '../snapshots/fileState.ts';
import type { LeftFile } from '../snapshots/leftFile.ts';
import { type PathChange, toPathChanges } from '../snapshots/pathChange.ts';
import { followOthers, type SessionOperationDeps } from './invokeInSession.ts';
import type { Outcome } from './outcome.ts';
import { redoChanges, undoChanges } from './undoFiles.ts';

export interface TurnLedger {
  readonly turnId: string;
  readonly ledger: ChangesetLedger;
}

/** A turn whose files go back, with the number from which on its changeset counts what was undone by that. */
export interface RestoredTurn {
  readonly turnId: string;
  readonly batch: number;
}

type DepsOf = (ledger: ChangesetLedger) => SessionOperationDeps;

/** Each file that the turns changed once, from what it was before the first of them to what the last one made of it. */
export async function changedByTurns(
  turns: readonly TurnLedger[],
  whole: ChangesetLedger,
): Promise<readonly ChangesetFile[]> {
  const all = new Map<string, PathChange>();
  for (const change of turns.flatMap((it) => it.ledger.state.files).flatMap(toPathChanges)) {
    const known = all.get(change.path);
    all.set(change.path, known ? { ...known, after: change.after } : change);
  }
  return whole.describe([...all.values()].filter((it) => !sameState(it.before, it.after)));
}

/**
 * Undoes the turns one by one, the newest first: each of their changesets stays true, and a host that is killed meanwhile
 * leaves nothing that it does not say.
 */
export async function undoTurns(
  turns: readonly TurnLedger[],
  depsOf: DepsOf,
  taken: (restored: readonly RestoredTurn[]) => Promise<void>,
): Promise<Outcome> {
  const changed = turns.filter((it) => it.ledger.state.files.length > 0);
  await taken(changed.map(({ turnId, ledger }) => ({ turnId, batch: ledger.nextBatch })));
  const restored = new Set<string>();
  const left: LeftFile[] = [];
  for (const { ledger } of changed.toReversed()) {
    const files = ledger.state.files.map(toPathChanges);
    const outcome = await undoChanges(withOthers(depsOf(ledger)), files, false);
    const refused = new Set(outcome.left.map((it) => it.path));
    for (const { path } of files.flat()) if (!refused.has(path)) restored.add(path);
    left.push(...outcome.left);
  }
  return toOutcome(restored, left);
}

/** What {@link undoTurns} undid comes back, the oldest turn first. */
export async function redoTurns(
  turns: readonly TurnLedger[],
  depsOf: DepsOf,
  restored: readonly RestoredTurn[],
): Promise<Outcome> {
  const batches = new Map(restored.map((it) => [it.turnId, it.batch]));
  const back = new Set<string>();
  const left: LeftFile[] = [];
  for (const { turnId, ledger } of turns) {
    const from = batches.get(turnId) ?? Number.POSITIVE_INFINITY;
    const undone = ledger.undone.filter((it) => it.batch >= from);
    if (undone.length === 0) continue;
    const outcome = await redoChanges(withOthers(depsOf(ledger)), undone);
    const refused = new Set(outcome.left.map((it) => it.path));
    for (const { path } of undone) if (!refused.has(path)) back.add(path);
    left.push(...outcome.left);
  }
  return toOutcome(back, left);
}

function withOthers(deps: SessionOperationDeps) {
  return { ...deps, onWritten: followOthers(deps) };
}

/** A file that one of the turns had to leave is named once, with what was said of it first. */
function toOutcome(done: ReadonlySet<string>, left: readonly LeftFile[]): Outcome {
  const reasons = new Map<string, LeftFile>();
  for (const it of left) if (!reasons.has(it.path)) reasons.set(it.path, it);
  return { files: [...done].filter((it) => !reasons.has(it)).length, left: [...reasons.values()] };
}
