import { parkedUntil } from '../../../../sidecar/protocol/channels/session/parked.ts';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../../../sidecar/protocol/status.ts';
import type { HostPort } from '../../../client/port.ts';
import { whyOf } from '../../../platform/whyOf.ts';

export interface OldSessionsDeps {
  readonly port: Pick<HostPort, 'request'>;
  /** What is known of a session now, which may be newer than the list that was fetched. */
  readonly known: (session: string) => SessionSummary | undefined;
  readonly pins: () => ReadonlySet<string>;
  /** A chat of this window shows it. */
  readonly isOpen: (session: string) => boolean;
  /** 0, also while sessions are being deleted: no more are. */
  readonly keepDays: () => number;
  readonly nowMs: number;
  readonly warn: (message: string) => void;
}

const DAY_MS = 86_400_000;
const PAGE = 100;

/**
 * Deletes the sessions that nobody used for so many days, as if a person did. Pinned, unread and open ones stay, and those
 * that still do something, ask for something, or wait for the end of a usage limit.
 *
 * @returns how many were deleted
 */
export async function deleteOldSessions(deps: OldSessionsDeps): Promise<number> {
  const { port, known, warn } = deps;
  let deleted = 0;
  for (const listed of await oldOnes(deps)) {
    // The one before it took time, in which somebody may have come back to this one.
    const { resource: channel } = listed;
    if (!isOld(known(channel) ?? listed, deps)) continue;
    try {
      await port.request('disposeSession', { channel });
      deleted += 1;
    } catch (thrown) {
      // Another window was faster, or it is for the next time.
      warn(`an old session was not deleted: ${whyOf(thrown)}`);
    }
  }
  return deleted;
}

/** Oldest first. All pages, because the oldest sessions are in the last one. */
async function oldOnes(deps: OldSessionsDeps): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await deps.port.request('root/listSessions', {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...items.filter((it) => isOld(it, deps)));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return found.toReversed();
}

function isOld(
  { resource, status: now, modifiedAt, _meta }: SessionSummary,
  { pins, isOpen, keepDays, nowMs }: OldSessionsDeps,
): boolean {
  const activity = activityOf(now);
  const days = keepDays();
  return (
    days > 0 &&
    Date.parse(modifiedAt) < nowMs - days * DAY_MS &&
    hasFlag(now, status.IsRead) &&
    (activity === status.Idle || activity === status.Error) &&
    parkedUntil(_meta) === undefined &&
    !pins().has(resource) &&
    !isOpen(resource)
  );
}
