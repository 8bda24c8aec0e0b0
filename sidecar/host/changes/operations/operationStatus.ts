import { Fault } from '../../../platform/faults.ts';
import type { InvokeChangesetOperationResult } from '../../../protocol/commands.ts';
import type { ChangesetLedger } from '../ledger/changesetLedger.ts';

/** Shows in the changeset that an operation failed. */
export function failOperation(ledger: ChangesetLedger, operationId: string, thrown: unknown): void {
  const error =
    thrown instanceof Fault
      ? { errorType: thrown.code, message: thrown.message, ...metaOf(thrown.data) }
      : { errorType: 'internal', message: 'The operation failed.' };
  ledger.commit({ type: 'changeset/operationStatusChanged', operationId, status: 'error', error });
}

/** Shows in the changeset that an operation did a part of what it was for, and what it left. */
export function failInPart(ledger: ChangesetLedger, operationId: string, result: InvokeChangesetOperationResult): void {
  const { message = '', _meta } = result;
  const error = {
    errorType: 'partial',
    message: typeof message === 'string' ? message : message.markdown,
    ...(_meta && { _meta }),
  };
  ledger.commit({ type: 'changeset/operationStatusChanged', operationId, status: 'error', error });
}

function metaOf(data: unknown): { _meta?: Record<string, unknown> } {
  return typeof data === 'object' && data !== null && 'left' in data ? { _meta: { left: data.left } } : {};
}
