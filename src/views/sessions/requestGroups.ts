import type { PendingRequest } from '../../client/attention.ts';

type BySession = ReadonlyMap<string, readonly PendingRequest[]>;

/** In the order in which they are listed. */
export function groupBySession(pending: readonly PendingRequest[]): Map<string, PendingRequest[]> {
  const groups = new Map<string, PendingRequest[]>();
  for (const it of pending) {
    const group = groups.get(it.session.resource);
    if (group) group.push(it);
    else groups.set(it.session.resource, [it]);
  }
  return groups;
}

/** The sessions whose requests are others, or say something else, than before. */
export function changedSessions(before: BySession, after: BySession): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((it) => {
    const [from = [], to = []] = [before.get(it), after.get(it)];
    return from.length !== to.length || to.some((pending, at) => pending.request !== from[at]?.request);
  });
}
