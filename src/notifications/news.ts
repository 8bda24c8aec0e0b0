import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../sidecar/protocol/status.ts';

export type NewsKind = 'needsInput' | 'finished' | 'failed';

/** What became of a session while nobody has to have looked. */
export interface News {
  readonly kind: NewsKind;
  readonly session: SessionSummary;
}

/** Compares sessions with how they were before. What it sees for the first time is no news. */
export class Newsreader {
  readonly #before = new Map<string, number>();

  /** The whole list: what is not in it any more is forgotten. */
  read(sessions: readonly SessionSummary[]): readonly News[] {
    const listed = new Set(sessions.map((it) => it.resource));
    for (const uri of this.#before.keys()) if (!listed.has(uri)) this.#before.delete(uri);
    return sessions.flatMap((it) => this.readOne(it));
  }

  /** One session that changed, at a cost that does not grow with the list. */
  readOne(session: SessionSummary): readonly News[] {
    const { resource } = session;
    const is = activityOf(session.status);
    const kind = hasFlag(session.status, status.IsArchived) ? undefined : newsOf(this.#before.get(resource), is);
    this.#before.set(resource, is);
    return kind ? [{ kind, session }] : [];
  }
}

function newsOf(was: number | undefined, is: number): NewsKind | undefined {
  if (was === undefined || was === is) return undefined;
  if (is === status.InputNeeded) return 'needsInput';
  const worked = was === status.InProgress || was === status.InputNeeded;
  if (is === status.Error) return worked ? 'failed' : undefined;
  return worked && is === status.Idle ? 'finished' : undefined;
}
