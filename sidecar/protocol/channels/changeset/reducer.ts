import { assertNever, removeWhere, setOrClear, upsertBy } from '../../collections.ts';
import type { ChangesetAction, ChangesetState } from './schema.ts';

/** Pure: no clock, no I/O, no mutation. A no-op answers the same `state` object. */
export function reduceChangeset(state: ChangesetState, action: ChangesetAction): ChangesetState {
  switch (action.type) {
    case 'changeset/statusChanged': {
      const next = setOrClear(state, 'error', action.status === 'error' ? action.error : undefined);
      return setOrClear(next, 'status', action.status);
    }
    case 'changeset/fileSet':
      return setOrClear(
        state,
        'files',
        upsertBy(state.files, action.file, (it) => it.id),
      );
    case 'changeset/fileRemoved':
      return setOrClear(
        state,
        'files',
        removeWhere(state.files, (it) => it.id === action.fileId),
      );
    case 'changeset/filesReviewChanged': {
      const ids = new Set(action.files);
      const changes = state.files.some((it) => ids.has(it.id) && it.reviewed !== action.reviewed);
      if (!changes) return state;
      return {
        ...state,
        files: state.files.map((it) =>
          ids.has(it.id) && it.reviewed !== action.reviewed ? { ...it, reviewed: action.reviewed } : it,
        ),
      };
    }
    case 'changeset/contentChanged': {
      const next = setOrClear(setOrClear(state, 'files', action.files), 'error', action.error);
      return action.operations ? setOrClear(next, 'operations', action.operations) : next;
    }
    case 'changeset/operationsChanged':
      return setOrClear(state, 'operations', action.operations);
    case 'changeset/operationStatusChanged': {
      const at = state.operations?.findIndex((it) => it.id === action.operationId) ?? -1;
      const before = state.operations?.[at];
      if (!state.operations || !before) return state;
      const settled = setOrClear(before, 'error', action.status === 'error' ? action.error : undefined);
      const operation = setOrClear(settled, 'status', action.status);
      return operation === before ? state : { ...state, operations: state.operations.with(at, operation) };
    }
    case 'changeset/cleared':
      return state.files.length === 0 ? state : { ...state, files: [] };
    default:
      return assertNever(action);
  }
}
