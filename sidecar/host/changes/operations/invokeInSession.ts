import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { ChangesetTarget, InvokeChangesetOperationResult } from '../../../protocol/commands.ts';
import type { ChangesetLedger } from '../ledger/changesetLedger.ts';
import type { OperationId } from '../ledger/undone.ts';
import { sameState } from '../snapshots/fileState.ts';
import { toPathChanges } from '../snapshots/pathChange.ts';
import { followWritten } from './followWritten.ts';
import { invokeOperation, type OperationDeps } from './invokeOperation.ts';

export interface SessionOperationDeps extends Omit<OperationDeps, 'onWritten' | 'onKept'> {
  /** The changeset of the whole session. */
  readonly whole: ChangesetLedger;
  /** The session's changesets as they are now, each once, and the one of the operation. */
  readonly ledgers: () => readonly ChangesetLedger[];
}

/**
 * Runs one operation on one changeset of a session, and keeps the session's other changesets true.
 * @throws {Fault} when nothing of it could be done
 */
export async function invokeInSession(
  { whole, ledgers, ...deps }: SessionOperationDeps,
  operation: OperationId,
  target: ChangesetTarget | undefined,
): Promise<InvokeChangesetOperationResult> {
  const onWritten = followOthers({ ...deps, whole, ledgers });
  const onKept: OperationDeps['onKept'] = (files) => {
    for (const it of ledgers()) {
      const same = it.state.files.filter((file) => files.some((one) => isSameAfter(one, file)));
      it.setReviewed(same.map((file) => file.id));
    }
  };
  return invokeOperation({ ...deps, onWritten, onKept }, operation, target);
}

/** Keeps the session's other changesets true. */
export function followOthers({
  whole,
  ledgers,
  ledger,
}: Pick<SessionOperationDeps, 'whole' | 'ledgers' | 'ledger'>): OperationDeps['onWritten'] {
  return async (written) => {
    const others = [whole, ...ledgers().filter((it) => it.channel !== whole.channel)];
    for (const it of others.filter((other) => other.channel !== ledger.channel))
      await followWritten(it, written, it.channel === whole.channel);
  };
}

function isSameAfter(one: ChangesetFile, other: ChangesetFile): boolean {
  const [a, b] = [toPathChanges(one).at(-1), toPathChanges(other).at(-1)];
  return a !== undefined && b !== undefined && a.path === b.path && sameState(a.after, b.after);
}
