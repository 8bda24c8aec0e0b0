import type { ChangesetState } from './schema.ts';

/** Its files may be others soon. */
export function isComputing({ status }: Pick<ChangesetState, 'status'>): boolean {
  return status === 'computing' || status === 'recomputing';
}
