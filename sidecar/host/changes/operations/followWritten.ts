import type { ChangesetLedger } from '../ledger/changesetLedger.ts';
import { canRedo, type UndoneFile } from '../ledger/undone.ts';
import { sameState } from '../snapshots/fileState.ts';
import { type PathChange, unmarked } from '../snapshots/pathChange.ts';
import type { Written } from './undoFiles.ts';

/**
 * Keeps a changeset true after an operation on another one of the session: what was undone there is undone here, and can
 * be redone here; what was redone there is back here.
 * @param isWhole the changeset of the whole session, which follows every write; that of a turn has what the turn did, or not
 */
export async function followWritten(
  ledger: ChangesetLedger,
  written: readonly Written[],
  isWhole: boolean,
): Promise<void> {
  const known = ledger.changes();
  const changed: PathChange[] = [];
  let undone: readonly UndoneFile[] = ledger.undone;
  const batch = Math.max(0, ...undone.map((it) => it.batch)) + 1;
  for (const { kind, path, from, to, replaced } of written) {
    const taken = undone.find(
      (it) => it.path === path && sameState(it.restored, from) && sameState(it.change.after, to),
    );
    if (taken) {
      undone = undone.filter((it) => it !== taken);
      changed.push(taken.change);
      continue;
    }
    const held = known.get(path);
    const change = held && unmarked(held);
    if (change ? !sameState(change.after, from) : !isWhole) continue;
    // An undo of the session goes back further than a turn that was not the first to touch the file.
    const after = !isWhole && kind === 'undo' && change ? change.before : to;
    changed.push({ before: from, ...change, path, after });
    if (change && sameState(after, change.before)) {
      undone = undone.filter((it) => it.path !== path);
      if (canRedo(replaced)) undone = [...undone, { path, batch, restored: to, replaced, change }];
    }
  }
  if (changed.length === 0) return;
  await ledger.put(changed);
  ledger.setOperations(false, undone);
}
