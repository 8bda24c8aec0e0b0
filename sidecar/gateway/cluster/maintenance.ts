import { momentOf } from '../../platform/clock.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { DAY_MS } from '../../protocol/gateway/duration.ts';
import type { Directory } from '../auth/directory.ts';
import type { Backends } from '../backends/backends.ts';
import type { LazyMcp } from '../mcp/frontOnUse.ts';
import type { GatewayStore } from '../storage/store.ts';
import { followChangeFeed } from './changeFeed.ts';
import { electLeader, type ScheduledJob } from './leaderElection.ts';
import type { Replicas } from './replicas.ts';

const SWEEP_MS = 60_000;
const HEALTH_MS = 60_000;
/** Hundreds of servers are asked at once: not before the first callers have their answers. */
const FIRST_HEALTH_MS = 3_000;
/** As often as the leader looks for work. */
const ALERT_MS = 1_000;
const TIDY_MS = 60 * 60_000;
const KEEP_LOG_DAYS = 90;
/** Where none are stored any more, those of before still go. */
const KEEP_CONTENT_DAYS = 7;

export interface MaintenanceDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  readonly store: GatewayStore;
  readonly directory: Directory;
  readonly backends: Backends;
  readonly mcp: Pick<LazyMcp, 'serverChanged' | 'listsChanged' | 'sweep'>;
  readonly isWorker: boolean;
  /** Absent if there is only this replica. */
  readonly replicas: Replicas | undefined;
  /** Writes the records of calls that wait. */
  readonly flush: () => Promise<void>;
  /** Days that lines of calls are kept; 0 for ever. */
  readonly keepLogDays?: number | undefined;
  /** Days that requests and responses are kept. */
  readonly keepContentDays?: number | undefined;
  /** Reports what happened, and delivers the reports. */
  readonly alert: (signal: AbortSignal) => Promise<void>;
  /** Days that audit entries are kept; 0, the default, for ever. */
  readonly keepAuditDays?: number | undefined;
  /** Asks all servers how they are. */
  readonly checkHealth?: (signal: AbortSignal) => Promise<void>;
}

/**
 * What goes on beside the calls: learning of changes, letting go of what a changed registration had open, ending what nobody
 * uses.
 *
 * @returns ends it
 */
export async function startMaintenance(deps: MaintenanceDeps): Promise<() => Promise<void>> {
  const { store, directory, backends, mcp, replicas, clock, timers, log, flush } = deps;
  const failed = (what: string) => (thrown: unknown) => log.warn({ thrown }, what);
  const readRegistered = async () => {
    const { servers, agents } = await directory.registered();
    backends.setRegistered(servers, agents);
  };
  directory.listen((kind, id) => {
    if (kind === 'mcp_server') {
      mcp.serverChanged(id).catch(failed('Connections to a changed MCP server could not be closed.'));
      backends.forget(id).catch(failed('Connections to a changed MCP server could not be closed.'));
    }
    if (kind === 'agent') backends.forget(id).catch(failed('Connections to a changed A2A agent could not be closed.'));
    if (kind === 'model') backends.forgetModel(id).catch(failed('Connections to a changed model could not be closed.'));
    if (kind === 'mcp_server' || kind === 'agent')
      readRegistered().catch(failed('The registered servers and agents could not be read.'));
    if (kind !== 'mcp_server' && kind !== 'budget' && kind !== 'model') mcp.listsChanged();
  });
  await readRegistered();
  const stopFollowing = await followChangeFeed({
    store,
    forget: () => directory.forget(),
    recovered() {
      // By then, its own attempts are up to ten seconds apart. It reports a failed one and tries again.
      void flush().catch(() => undefined);
      void replicas?.serve();
    },
    replicas,
    clock,
    timers,
    log,
  });
  await replicas?.start();
  const sweep = () => void mcp.sweep().catch(failed('Idle sessions could not be ended.'));
  const stopSweeping = timers.every(SWEEP_MS, sweep);
  const leases = deps.isWorker ? never : store.database.kind === 'sqlite' ? soleReplica : store.leases;
  const leading = electLeader({ leases, jobs: scheduledJobs(deps), clock, timers, log });
  return async () => {
    stopSweeping();
    await replicas?.close();
    await stopFollowing();
    await leading.close();
  };
}

/** How long what is stored is kept, from the options of the gateway. */
export const keptDays = ({
  keepLogDays,
  keepAuditDays,
  content,
}: {
  readonly keepLogDays?: number | undefined;
  readonly keepAuditDays?: number | undefined;
  readonly content?: { readonly keepDays: number } | undefined;
}): Pick<MaintenanceDeps, 'keepLogDays' | 'keepAuditDays' | 'keepContentDays'> => ({
  keepLogDays,
  keepAuditDays,
  keepContentDays: content?.keepDays,
});

/** Its owner does that work. */
const never = { take: () => Promise.resolve(false), release: () => Promise.resolve() };
/** A single replica needs no leases. */
const soleReplica = { take: () => Promise.resolve(true), release: () => Promise.resolve() };

/** What is done once, however many replicas there are. */
function scheduledJobs({
  store,
  clock,
  log,
  checkHealth,
  alert,
  keepLogDays = KEEP_LOG_DAYS,
  keepAuditDays = 0,
  keepContentDays = KEEP_CONTENT_DAYS,
}: MaintenanceDeps): readonly ScheduledJob[] {
  const tidy: ScheduledJob = {
    name: 'tidy',
    everyMs: TIDY_MS,
    async run() {
      await store.activityWrites.tidy(clock.nowMs());
      await store.changes.tidy();
      await store.serverHealth.tidy();
      await store.replicaMessages.tidy();
      await store.pageSessions.tidy(clock.nowMs());
      await store.alertDeliveries.tidy(clock.nowMs());
    },
  };
  const logRetention: ScheduledJob = {
    name: 'old lines',
    everyMs: TIDY_MS,
    async run() {
      await store.a2aOwners.forget(clock.nowMs() - keepLogDays * DAY_MS);
      const forgotten = await store.logRetention.forget(clock.nowMs() - keepLogDays * DAY_MS);
      if (forgotten > 0)
        log.info({ forgotten, keepLogDays }, 'Old call log entries were deleted, but their totals were kept.');
    },
  };
  const alerts: ScheduledJob = { name: 'alerts', everyMs: ALERT_MS, run: alert };
  const auditRetention: ScheduledJob = {
    name: 'old audit entries',
    everyMs: TIDY_MS,
    async run() {
      const forgotten = await store.audit.forget(momentOf(clock.nowMs() - keepAuditDays * DAY_MS));
      if (forgotten > 0) log.info({ forgotten, keepAuditDays }, 'Old audit entries were deleted.');
    },
  };
  const contentRetention: ScheduledJob = {
    name: 'old contents',
    everyMs: TIDY_MS,
    async run() {
      const forgotten = await store.callContents.forget(clock.nowMs() - keepContentDays * DAY_MS);
      if (forgotten > 0) log.info({ forgotten, keepContentDays }, 'Old requests and responses of calls were deleted.');
    },
  };
  const always = [
    alerts,
    tidy,
    contentRetention,
    ...(keepLogDays === 0 ? [] : [logRetention]),
    ...(keepAuditDays === 0 ? [] : [auditRetention]),
  ];
  return checkHealth
    ? [{ name: 'health', everyMs: HEALTH_MS, firstAfterMs: FIRST_HEALTH_MS, run: checkHealth }, ...always]
    : always;
}
