import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../sidecar/protocol/status.ts';

export type NewsKind = 'needsInput' | 'finished' | 'failed';

/** What became of a session while nobody has to have looked. */
export interface News {
  readonly kind: NewsKind;
  readonly session: SessionSummary;
}

/** Compares the sessions with how they were before. What it sees for the first time is no news. */
export class Newsreader {
  #before: ReadonlyMap<string, number> | undefined;

  read(sessions: readonly SessionSummary[]): readonly News[] {
    const before = this.#before;
    this.#before = new Map(sessions.map((it) => [it.resource, activityOf(it.status)]));
    if (!before) return [];
    return sessions.flatMap((session): News[] => {
      const was = before.get(session.resource);
      const kind = hasFlag(session.status, status.IsArchived) ? undefined : newsOf(was, activityOf(session.status));
      return kind ? [{ kind, session }] : [];
    });
  }
}

function newsOf(was: number | undefined, is: number): NewsKind | undefined {
  if (was === undefined || was === is) return undefined;
  if (is === status.InputNeeded) return 'needsInput';
  const worked = was === status.InProgress || was === status.InputNeeded;
  if (is === status.Error) return worked ? 'failed' : undefined;
  return worked && is === status.Idle ? 'finished' : undefined;
}
