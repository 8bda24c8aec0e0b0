import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logger.ts';
import type { Timers } from '../../platform/timers.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { Replicas } from './replicas.ts';

/** How soon a replica learns of what another one wrote, where the database does not say so at once. */
export const POLL_MS = 1_000;
/**
 * A replica that could read no changes for so long trusts its memory no longer: a key may have been deleted meanwhile. Then
 * nobody is let in before the database answers again.
 */
export const STALE_MS = 60_000;

export interface FollowingDeps {
  readonly store: {
    readonly changes: Pick<GatewayStore['changes'], 'poll'>;
    readonly database: Pick<GatewayStore['database'], 'follow'>;
  };
  /** Forgets what was read of the records. */
  readonly forget: () => void;
  /** What other replicas sent to this one, where there are others. */
  readonly replicas: Pick<Replicas, 'id' | 'take'> | undefined;
  /** The database answers again after it did not. */
  readonly recovered: () => void;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  readonly timers: Pick<Timers, 'after' | 'every'>;
}

/** Learns of what other replicas wrote: at once when the database says so, and by looking. @returns ends it */
export async function followChangeFeed(deps: FollowingDeps): Promise<() => Promise<void>> {
  const { store, forget, recovered, replicas, clock, log, timers } = deps;
  let readMs = clock.monotonicMs();
  let isFailing = false;

  async function look(): Promise<void> {
    try {
      await store.changes.poll();
      const isBack = isFailing;
      isFailing = false;
      readMs = clock.monotonicMs();
      if (!isBack) return;
      log.info({}, 'Changes from other replicas can be read again.');
      recovered();
    } catch (thrown) {
      if (!isFailing) log.warn({ thrown }, 'Changes from other replicas cannot be read. The gateway will retry.');
      isFailing = true;
      if (clock.monotonicMs() - readMs > STALE_MS) forget();
    }
  }

  /** A database that does not answer is reported by {@link look}. */
  const take = () => replicas?.take().catch(() => undefined);
  const hear = (about: string | undefined) => {
    if (about === undefined || about === '') void look();
    if (about === undefined || about === replicas?.id) void take();
  };
  const follower = await store.database.follow(hear, timers);
  const stop = timers.every(POLL_MS, () => hear(undefined));
  return async () => {
    stop();
    await follower?.close();
  };
}
