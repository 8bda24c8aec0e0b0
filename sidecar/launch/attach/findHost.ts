import type { Socket } from 'node:net';
import type { Runtime } from '../../platform/runtime.ts';
import type { Build } from '../../protocol/hostInfo.ts';
import type { ConnectionLimits } from '../../protocol/limits.ts';
import { PROTOCOL_VERSION } from '../../protocol/version.ts';
import { dataFiles } from '../dataDir.ts';
import { exitCodes, LaunchFailure } from '../failure.ts';
import { rememberBuild } from './buildsFile.ts';
import { connectHost } from './connectHost.ts';
import { readHostFile } from './hostFile.ts';
import type { Preamble, RefusalReason } from './preamble.ts';
import { startHost } from './startHost.ts';

/** How long a window waits for its host, a host that still leaves included. */
const DEADLINE_MS = 10_000;
/** Between two looks for a host that somebody else starts, or that leaves. */
const RETRY_MS = 50;

export interface FindHostDeps extends Pick<Runtime, 'clock' | 'timers'> {
  readonly dataDir: string;
  /** Where a host that we start listens. */
  readonly socket: string;
  readonly execPath: string;
  readonly entry: string;
  readonly build: Build;
  readonly env: Record<string, string>;
  readonly pid: number;
  readonly uid: number | undefined;
  /** What the client may cost, where it is no window of this machine. */
  readonly limits?: ConnectionLimits;
  /** Default `attach`. */
  readonly asks?: 'listen';
}

/**
 * The user's host, started where there is none: the newest build that was seen on this machine and is still on disk. Of
 * two that race, the lock lets one host live, and both find it.
 * @returns its socket, past the first lines: what follows is JSON-RPC
 * @throws {LaunchFailure} with a sentence for the person
 */
export async function findHost(deps: FindHostDeps): Promise<Socket> {
  const { dataDir, build } = deps;
  const deadline = deps.clock.monotonicMs() + DEADLINE_MS;
  const newest = rememberBuild(dataDir, { build, entry: deps.entry }, deps.pid);
  while (deps.clock.monotonicMs() < deadline) {
    const found = await attach(deps);
    if (typeof found === 'object') return found;
    if (found === 'nobody' && (await start(deps, newest.entry)) === 'ready') continue;
    await deps.timers.wait(found === 'nobody' ? 4 * RETRY_MS : RETRY_MS);
  }
  const message = `The Switchboard host did not respond within ${DEADLINE_MS / 1000} seconds. See ${dataFiles.log(dataDir)}.`;
  throw new LaunchFailure(exitCodes.noHost, message);
}

/** A newest build that does not start (half removed, say) does not keep this one from starting. */
async function start(deps: FindHostDeps, newestEntry: string): Promise<'ready' | 'locked'> {
  try {
    return await startHost(deps, newestEntry);
  } catch (thrown) {
    if (newestEntry === deps.entry) throw thrown;
    return startHost(deps, deps.entry);
  }
}

async function attach(deps: FindHostDeps): Promise<Socket | 'nobody' | 'again'> {
  const { build, uid, limits, asks = 'attach' } = deps;
  const preamble: Preamble = { switchboard: asks, build, protocol: PROTOCOL_VERSION, ...(limits && { limits }) };
  // A host that another environment started may listen elsewhere; its file says where.
  const places = new Set([deps.socket, readHostFile(deps.dataDir)?.socket ?? deps.socket]);
  for (const place of places) {
    const reached = await connectHost(place, uid, preamble, DEADLINE_MS / 2, deps.timers);
    if (!reached) continue;
    if (reached.answer?.ok) return reached.socket;
    const reason = reached.answer?.reason;
    if (reason !== undefined && reason !== 'leaving') throw refused(reason);
    return 'again';
  }
  return 'nobody';
}

function refused(reason: RefusalReason): LaunchFailure {
  if (reason === 'olderBusy') {
    const message =
      'An older version of Switchboard is still running a turn for another window. This version will start when that turn ends.';
    return new LaunchFailure(exitCodes.versions, message);
  }
  if (reason === 'versions') {
    const message =
      'The running version of Switchboard is newer than the one in this window and is not compatible with it. Reload the window to use the newer version.';
    return new LaunchFailure(exitCodes.versions, message);
  }
  return new LaunchFailure(exitCodes.noHost, `The running Switchboard host rejected this window (${reason}).`);
}
