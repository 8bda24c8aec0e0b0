import type { ChangesetState } from './schema.ts';

/** Its files may still change. */
export function isComputing({ status }: Pick<ChangesetState, 'status'>): boolean {
  return status === 'computing' || status === 'recomputing';
}
