import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import { sameState } from '../snapshots/fileState.ts';
import { type PathChange, toPathChanges } from '../snapshots/pathChange.ts';

/**
 * What changed from the end of one turn to the end of another, from what each of the turns between them did: of each path the
 * first state and the last. Looking back, the same the other way round.
 * @param turns all of the session in the order of their beginning
 * @param filesOf what a turn changed
 */
export function compareTurns(
  turns: readonly string[],
  original: string,
  modified: string,
  filesOf: (turnId: string) => readonly ChangesetFile[],
): PathChange[] {
  const [from, to] = [turns.indexOf(original), turns.indexOf(modified)];
  const between = turns.slice(Math.min(from, to) + 1, Math.max(from, to) + 1);
  const all = new Map<string, PathChange>();
  for (const change of between.flatMap(filesOf).flatMap(toPathChanges)) {
    const known = all.get(change.path);
    all.set(change.path, known ? { ...known, after: change.after } : change);
  }
  const differing = [...all.values()].filter((it) => !sameState(it.before, it.after));
  if (to >= from) return differing;
  return differing.map(({ path, before, after }) => ({ path, before: after, after: before }));
}
