import type { Runtime } from '../../platform/runtime.ts';
import type { Build } from '../../protocol/hostInfo.ts';
import { rememberBuild } from '../attach/buildsFile.ts';
import { removeHostFile, writeHostFile } from '../attach/hostFile.ts';
import { type ExitCode, exitCodes, LaunchFailure, reasonOf } from '../failure.ts';
import type { GatewayRoles, OpenConfigDocuments } from '../gateway/gatewayContract.ts';
import { lazyDocuments, lazyGateway } from '../gateway/lazyGateway.ts';
import { removeFile } from '../jsonFile.ts';
import { openSocketFolder } from '../socketPath.ts';
import type { Host, OpenHost } from './hostContract.ts';
import { acquireHostLock, type HostLock } from './hostLock.ts';
import { HostServer } from './hostServer.ts';
import { IdleExit } from './idleExit.ts';
import { guardSocket } from './socketGuard.ts';
import type { ToolProgramOf } from './toolProgram.ts';

/** Longest orderly shutdown; then the process ends as it is, and the next start repairs. */
const SHUTDOWN_MS = 5_000;

export interface HostProcessDeps {
  /** From `openDataDir`. */
  readonly dataDir: string;
  readonly socket: string;
  readonly entry: string;
  readonly build: Build;
  readonly pid: number;
  /** undefined on Windows. */
  readonly uid: number | undefined;
  readonly platform: string;
  readonly runtime: Runtime;
  readonly openHost: OpenHost;
  readonly toolProgram: ToolProgramOf;
  readonly loadGateway: () => Promise<GatewayRoles>;
  readonly loadDocuments: () => Promise<OpenConfigDocuments>;
  /** Tells the launcher that the host can be reached. */
  readonly ready: () => void;
  /** Settles when the launcher is gone and no window's process tree holds this process any more. */
  readonly detached: () => Promise<void>;
}
export interface RunningHost {
  /** Begins the orderly shutdown; more calls change nothing. */
  stop(reason: string): void;
  /** Settles when all is closed, with the exit code. */
  readonly ended: Promise<ExitCode>;
}

/**
 * Takes the lock, opens the host, listens. Leaves when idle for long, when a newer build waits and no turn runs, and when
 * asked to.
 * @throws {LaunchFailure} `locked` when another host is there
 */
export async function runHostProcess(deps: HostProcessDeps): Promise<RunningHost> {
  const { dataDir, socket, runtime, build, pid } = deps;
  const { clock, timers, log } = runtime;
  const lock = acquireHostLock(dataDir);
  if (!lock) throw new LaunchFailure(exitCodes.locked, 'Another Switchboard host is already running.');
  const startedAt = clock.now();
  let newerBuildWaits = false;
  let isLeaving = false;
  let endGuard = (): void => undefined;
  let end: (code: ExitCode) => void = () => undefined;
  const ended = new Promise<ExitCode>((resolve) => {
    end = resolve;
  });

  const stop = (reason: string): void => {
    if (isLeaving) return;
    isLeaving = true;
    log.info({ reason }, 'the host is stopping');
    idleExit.stop();
    endGuard();
    void shutDown({ server, host, lock, dataDir, runtime }).then(end);
  };
  const gateway = lazyGateway(deps.loadGateway, deps.entry, { dataDir, build, runtime });
  const host = await deps.openHost({
    dataDir,
    build,
    runtime,
    gateway,
    toolProgram: deps.toolProgram,
    documents: lazyDocuments(deps.loadDocuments, gateway),
    onStopRequested: (restart) => stop(restart ? 'a client requested a restart' : 'a client requested a stop'),
  });
  const idleExit = new IdleExit({
    isIdle: () => server.isUnused && !host.isBusy(),
    minutes: () => host.idleExitMinutes,
    leave: () => stop('no client was connected'),
    timers,
  });
  const makeRoom = (): void => {
    if (!host.isBusy()) stop('a newer build is taking over');
    if (isLeaving || newerBuildWaits) return;
    newerBuildWaits = true;
    const message = 'A newer version of Switchboard will take over as soon as all agents are idle.';
    host.setNotices([{ id: 'newerBuildWaiting', kind: 'newerBuildWaiting', message }]);
  };
  const server = new HostServer({
    host,
    build,
    dataDir,
    clock,
    timers,
    log,
    pid,
    startedAt,
    isLeaving: () => isLeaving,
    makeRoom,
    newerBuildWaiting: () => newerBuildWaits,
    stop,
    changed: () => idleExit.update(),
  });
  host.onIdle(() => (newerBuildWaits ? makeRoom() : idleExit.update()));

  await listen(server, deps);
  writeHostFile(dataDir, { pid, startedAt, socket, build });
  rememberBuild(dataDir, { build, entry: deps.entry }, pid);
  deps.ready();
  if (deps.platform !== 'win32') endGuard = guardSocket(socket, log, () => listen(server, deps));
  await deps.detached();
  server.serve();
  idleExit.update();
  log.info({ pid, build }, 'the host is ready');
  return { stop, ended };
}

async function listen(server: HostServer, { socket, uid, platform }: HostProcessDeps): Promise<void> {
  openSocketFolder(socket, uid);
  // Whoever holds the lock is the host, so a socket that is there was left behind by one that was killed.
  if (platform !== 'win32') removeFile(socket);
  try {
    await server.listen(socket);
  } catch (thrown) {
    throw new LaunchFailure(
      exitCodes.badFolder,
      `Switchboard cannot listen on ${socket}: ${reasonOf(thrown)}.`,
      thrown,
    );
  }
}

interface ShutdownDeps {
  readonly server: HostServer;
  readonly host: Host;
  readonly lock: HostLock;
  readonly dataDir: string;
  readonly runtime: Runtime;
}

/** In this order: nobody comes in, agents end, the store is flushed, the lock is free. */
async function shutDown({ server, host, lock, dataDir, runtime }: ShutdownDeps): Promise<ExitCode> {
  const { timers, log } = runtime;
  server.stopListening();
  removeHostFile(dataDir);
  const limit = new AbortController();
  // Keeps the process alive until then: nothing else may, and the exit code has to be ours.
  const late = timers.wait(SHUTDOWN_MS, limit.signal).then(() => 'late' as const);
  const closed = host.close().then(
    () => 'closed' as const,
    (thrown: unknown) => {
      log.error({ thrown }, 'the host could not be closed');
      return 'failed' as const;
    },
  );
  const outcome = await Promise.race([closed, late]);
  limit.abort();
  if (outcome === 'late') log.error({ SHUTDOWN_MS }, 'the shutdown took too long');
  server.closeAll();
  lock.release();
  return outcome === 'closed' ? exitCodes.ok : exitCodes.unclean;
}
