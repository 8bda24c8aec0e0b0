import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logger.ts';
import type { Timers } from '../../platform/timers.ts';
import type { Agreements } from '../storage/leases.ts';

/** How long the work of a replica that died waits for another one, at most, and {@link LOOK_MS} more. */
export const LEAD_MS = 15_000;
const LOOK_MS = 5_000;
const LEASE = 'leader';

/** Work that one replica does for all. It may run twice where a replica stood still for long, and must not mind. */
export interface Duty {
  /** Of what failed, for the log. */
  readonly name: string;
  readonly everyMs: number;
  /** Not sooner after the start of this process, which has enough to do then. Default: at once. */
  readonly firstAfterMs?: number;
  /** @param signal aborted when this process leaves */
  run(signal: AbortSignal): Promise<void>;
}

export interface LeadingDeps {
  readonly agreements: Pick<Agreements, 'take' | 'release'>;
  readonly duties: readonly Duty[];
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: Pick<Timers, 'every'>;
}

export interface Leading {
  readonly isLeader: boolean;
  /** Hands the work to another replica, after what runs of it has ended. */
  close(): Promise<void>;
}

/** Takes part in the choice of a leader, and does its work while it is this process. */
export function takeLead({ agreements, duties, clock, log, timers }: LeadingDeps): Leading {
  const lastMs = new Map<Duty, number>();
  const running = new Map<Duty, Promise<void>>();
  const startedMs = clock.monotonicMs();
  const leaving = new AbortController();
  let isLeader = false;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const isOurs = await agreements.take(LEASE, LEAD_MS).catch((thrown: unknown) => {
      if (isLeader) log.warn({ thrown }, 'The database does not say who leads. Somebody else may do so from now on.');
      return false;
    });
    if (isOurs && !isLeader) log.info({}, 'This replica does the work that is done once.');
    isLeader = isOurs;
    if (isLeader && !leaving.signal.aborted) duties.forEach(begin);
  }

  function begin(duty: Duty): void {
    const now = clock.monotonicMs();
    if (running.has(duty) || now - (lastMs.get(duty) ?? Number.NEGATIVE_INFINITY) < duty.everyMs) return;
    if (now - startedMs < (duty.firstAfterMs ?? 0)) return;
    lastMs.set(duty, now);
    const work = duty
      .run(leaving.signal)
      .catch((thrown: unknown) => log.warn({ thrown, duty: duty.name }, 'Work that is done once for all failed.'))
      .finally(() => running.delete(duty));
    running.set(duty, work);
  }

  const next = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  };
  next();
  const stop = timers.every(LOOK_MS, next);
  return {
    get isLeader() {
      return isLeader;
    },
    async close() {
      leaving.abort();
      stop();
      await looking;
      await Promise.all(running.values());
      if (!isLeader) return;
      isLeader = false;
      // Where the database does not answer, the lease ends by itself.
      await agreements
        .release(LEASE)
        .catch((thrown: unknown) => log.warn({ thrown }, 'The lead could not be given back.'));
    },
  };
}
