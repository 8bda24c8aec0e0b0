import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logger.ts';
import type { Timers } from '../../platform/timers.ts';
import type { Leases } from '../storage/leases.ts';

/** How long the work of a replica that died waits for another one, at most, and {@link LOOK_MS} more. */
export const LEAD_MS = 15_000;
const LOOK_MS = 5_000;
/** A process that starts has its first callers to answer, so it takes part only when they have their answers. */
const FIRST_LOOK_MS = 1_000;
const LEASE = 'leader';

/** Work that one replica does for all. It may run twice where a replica stood still for long, and must not mind. */
export interface ScheduledJob {
  /** Of what failed, for the log. */
  readonly name: string;
  readonly everyMs: number;
  /** Not sooner after the start of this process. Default: when it takes part for the first time. */
  readonly firstAfterMs?: number;
  /** @param signal aborted when this process leaves */
  run(signal: AbortSignal): Promise<void>;
}

export interface LeaderElectionDeps {
  readonly leases: Pick<Leases, 'take' | 'release'>;
  readonly jobs: readonly ScheduledJob[];
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: Pick<Timers, 'after' | 'every'>;
}

export interface LeaderElection {
  readonly isLeader: boolean;
  /** Hands the work to another replica, after what runs of it has ended. */
  close(): Promise<void>;
}

/** Takes part in the choice of a leader a second from now, and does its work while it is this process. */
export function electLeader({ leases, jobs, clock, log, timers }: LeaderElectionDeps): LeaderElection {
  const lastMs = new Map<ScheduledJob, number>();
  const running = new Map<ScheduledJob, Promise<void>>();
  const startedMs = clock.monotonicMs();
  const leaving = new AbortController();
  let isLeader = false;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const isOurs = await leases.take(LEASE, LEAD_MS).catch((thrown: unknown) => {
      if (isLeader)
        log.warn({ thrown }, 'The leader lease could not be renewed. Another replica may become the leader.');
      return false;
    });
    if (isOurs && !isLeader) log.info({}, 'This replica is now the leader.');
    isLeader = isOurs;
    if (isLeader && !leaving.signal.aborted) jobs.forEach(begin);
  }

  function begin(job: ScheduledJob): void {
    const now = clock.monotonicMs();
    if (running.has(job) || now - (lastMs.get(job) ?? Number.NEGATIVE_INFINITY) < job.everyMs) return;
    if (now - startedMs < (job.firstAfterMs ?? 0)) return;
    lastMs.set(job, now);
    const work = job
      .run(leaving.signal)
      .catch((thrown: unknown) => log.warn({ thrown, job: job.name }, 'A leader task failed.'))
      .finally(() => running.delete(job));
    running.set(job, work);
  }

  const next = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  };
  const stopWaiting = timers.after(FIRST_LOOK_MS, next);
  const stop = timers.every(LOOK_MS, next);
  return {
    get isLeader() {
      return isLeader;
    },
    async close() {
      leaving.abort();
      stopWaiting();
      stop();
      await looking;
      await Promise.all(running.values());
      if (!isLeader) return;
      isLeader = false;
      // Where the database does not answer, the lease ends by itself.
      await leases
        .release(LEASE)
        .catch((thrown: unknown) => log.warn({ thrown }, 'The leader lease could not be released.'));
    },
  };
}
