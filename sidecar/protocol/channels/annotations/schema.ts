import * as z from 'zod';
import { actionTable } from '../../building.ts';
import { Meta, StringOrMarkdown, TextRange, Uri } from '../../shared.ts';

export const AnnotationEntry = z.object({
  id: z.string().min(1),
  text: StringOrMarkdown,
  _meta: Meta.exactOptional(),
});
export type AnnotationEntry = z.infer<typeof AnnotationEntry>;

/** A remark on a file, and what was said about it. Whoever dispatches it mints its ids. */
export const Annotation = z.object({
  id: z.string().min(1),
  turnId: z.string(),
  resource: Uri,
  resolved: z.boolean(),
  /** Oldest first. Producers keep at least one. */
  entries: z.array(AnnotationEntry),
  /** Absent: the whole file. */
  range: TextRange.exactOptional(),
  _meta: Meta.exactOptional(),
});
export type Annotation = z.infer<typeof Annotation>;

/** The state of the annotations channel of a session. */
export const AnnotationsState = z.object({ annotations: z.array(Annotation) });
export type AnnotationsState = z.infer<typeof AnnotationsState>;

const on = { annotationId: z.string() };
/** The actions of the annotations channel (`host.action.annotations/…`). Clients may send all of them. */
export const annotationsActions = actionTable({
  'annotations/set': { annotation: Annotation },
  'annotations/updated': {
    ...on,
    turnId: z.string().exactOptional(),
    resource: Uri.exactOptional(),
    range: TextRange.exactOptional(),
    resolved: z.boolean().exactOptional(),
  },
  'annotations/removed': on,
  'annotations/entrySet': { ...on, entry: AnnotationEntry },
  'annotations/entryRemoved': { ...on, entryId: z.string() },
});
export type AnnotationsAction = z.output<(typeof annotationsActions)[keyof typeof annotationsActions]>;
