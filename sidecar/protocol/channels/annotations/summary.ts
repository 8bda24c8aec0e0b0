import { annotationsUri } from '../../uris.ts';
import type { SessionState } from '../session/schema.ts';
import type { Annotation } from './schema.ts';

/** What a session says of its annotations channel, which it has from its creation on. */
export function annotationsSummary(
  session: string,
  annotations: readonly Annotation[] = [],
): NonNullable<SessionState['annotations']> {
  const entryCount = annotations.reduce((sum, { entries }) => sum + entries.length, 0);
  return { resource: annotationsUri(session), annotationCount: annotations.length, entryCount };
}
