import type { Hunk } from '../../lines/hunks.ts';
import { withProgress } from '../../protocol/channels/annotations/progress.ts';
import type { Annotation, AnnotationsAction } from '../../protocol/channels/annotations/schema.ts';
import type { FileEdit } from '../../protocol/shared.ts';
import type { Changes } from '../changes/changes.ts';

/**
 * What becomes of a comment that the agent was sent, at the end of a turn that changed its file: resolved where the agent
 * changed or removed one of its lines, and otherwise moved along with them.
 */
export async function followEdit(
  { hunksOf }: Pick<Changes, 'hunksOf'>,
  annotation: Annotation,
  edit: FileEdit,
  turnId: string,
): Promise<AnnotationsAction | undefined> {
  if (!edit.before) return undefined;
  if (!edit.after) return resolvedBy(annotation, turnId);
  const hunks = await hunksOf(edit);
  if (!hunks || hunks.length === 0) return undefined;
  const { range } = annotation;
  if (!range) return resolvedBy(annotation, turnId);
  const [first, last] = [range.start.line, range.end.line];
  if (hunks.some((it) => touches(it, first, last))) return resolvedBy(annotation, turnId);
  const moved = hunks
    .filter((it) => it.beforeStart + it.removed.length <= first)
    .reduce((sum, it) => sum + it.added.length - it.removed.length, 0);
  if (moved === 0) return undefined;
  const by = (at: { line: number; character: number }) => ({ ...at, line: at.line + moved });
  return {
    type: 'annotations/updated',
    annotationId: annotation.id,
    range: { start: by(range.start), end: by(range.end) },
  };
}

/** Lines that only came count where they stand between lines of the comment. */
function touches({ beforeStart, removed }: Hunk, first: number, last: number): boolean {
  if (removed.length === 0) return first < beforeStart && beforeStart <= last;
  return beforeStart <= last && first < beforeStart + removed.length;
}

function resolvedBy(annotation: Annotation, turnId: string): AnnotationsAction {
  return {
    type: 'annotations/set',
    annotation: withProgress({ ...annotation, resolved: true }, { resolvedByTurn: turnId }),
  };
}
