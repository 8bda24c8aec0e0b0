import { assertNever, removeWhere, setOrClear, upsertBy } from '../../collections.ts';
import type { Annotation, AnnotationsAction, AnnotationsState } from './schema.ts';

/** Pure: no clock, no I/O, no mutation. A no-op answers the same `state` object. */
export function reduceAnnotations(state: AnnotationsState, action: AnnotationsAction): AnnotationsState {
  switch (action.type) {
    case 'annotations/set':
      return setOrClear(
        state,
        'annotations',
        upsertBy(state.annotations, action.annotation, (it) => it.id),
      );
    case 'annotations/updated': {
      const { turnId, resource, range, resolved } = action;
      // What is left out stays, so a range cannot be cleared.
      return update(state, action.annotationId, (it) => ({
        ...it,
        ...(turnId !== undefined && { turnId }),
        ...(resource !== undefined && { resource }),
        ...(range !== undefined && { range }),
        ...(resolved !== undefined && { resolved }),
      }));
    }
    case 'annotations/removed':
      return setOrClear(
        state,
        'annotations',
        removeWhere(state.annotations, (it) => it.id === action.annotationId),
      );
    case 'annotations/entrySet':
      return update(state, action.annotationId, (it) =>
        setOrClear(
          it,
          'entries',
          upsertBy(it.entries, action.entry, (entry) => entry.id),
        ),
      );
    case 'annotations/entryRemoved':
      return update(state, action.annotationId, (it) =>
        setOrClear(
          it,
          'entries',
          removeWhere(it.entries, (entry) => entry.id === action.entryId),
        ),
      );
    default:
      return assertNever(action);
  }
}

function update(state: AnnotationsState, id: string, change: (it: Annotation) => Annotation): AnnotationsState {
  const before = state.annotations.find((it) => it.id === id);
  if (!before) return state;
  return setOrClear(
    state,
    'annotations',
    upsertBy(state.annotations, change(before), (it) => it.id),
  );
}
