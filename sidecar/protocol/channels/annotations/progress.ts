import type { Annotation } from './schema.ts';

/** Ours, in the `_meta` of an annotation: how many of its entries the agent was sent, and the turn that changed its lines. */
export interface AnnotationProgress {
  readonly sentEntries?: number;
  readonly resolvedByTurn?: string;
}

/** So many of its entries were sent to the agent; those that came later wait. */
export function sentEntries({ _meta }: Pick<Annotation, '_meta'>): number {
  const sent = _meta?.['sentEntries'];
  return typeof sent === 'number' ? sent : 0;
}

/** Whether a person said something that was not sent to the agent yet. */
export function isWaiting(annotation: Annotation): boolean {
  return !annotation.resolved && annotation.entries.length > sentEntries(annotation);
}

/** Whether the agent resolved it, by changing its lines. */
export function isFollowed({ resolved, _meta }: Annotation): boolean {
  return resolved && typeof _meta?.['resolvedByTurn'] === 'string';
}

/** The annotation with what is known of it now. */
export function withProgress(annotation: Annotation, progress: AnnotationProgress): Annotation {
  return { ...annotation, _meta: { ...annotation._meta, ...progress } };
}
