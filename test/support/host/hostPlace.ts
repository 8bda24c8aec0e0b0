import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentProvider } from '../../../sidecar/agents/provider.ts';
import { type HostOptions, openHost } from '../../../sidecar/host/host.ts';
import type { Host } from '../../../sidecar/launch/host/hostContract.ts';
import type { Clock } from '../../../sidecar/platform/clock.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import { systemTimers, type Timers } from '../../../sidecar/platform/timers.ts';
import { defaultLimits } from '../../../sidecar/protocol/limits.ts';
import type { WindowInfo } from '../../../sidecar/protocol/window.ts';
import { FrameLink } from '../../../sidecar/transport/frameLink.ts';
import { memoryPair } from '../memoryPair.ts';
import { keepingLog } from '../testLog.ts';
import { HostPeer } from './hostPeer.ts';

export const testWindow: WindowInfo = {
  trusted: true,
  folders: [],
  env: {},
  agents: [],
  rules: [],
  idleExitMinutes: 10,
  durability: 'normal',
};

export interface HostPlaceOptions extends Partial<HostOptions> {
  /** Instead of the system's. */
  readonly timers?: Timers;
  readonly clock?: Clock;
}

/** A data directory, and hosts on it, one after the other. Close it after each test. */
export interface HostPlace {
  readonly dataDir: string;
  readonly host: Host;
  /** What the hosts logged. */
  readonly log: readonly string[];
  /** A connection with its handshake made. */
  connect(clientId?: string, window?: Partial<WindowInfo>): Promise<HostPeer>;
  /** A connection that said nothing yet. @param credential as whom `serve` let it in; absent: a relay brings it */
  connectSilently(credential?: string): HostPeer;
  /** Closes the host and opens another one on the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param providers absent: the agents that each window has */
export async function openHostPlace(
  providers: readonly AgentProvider[] | undefined,
  options: HostPlaceOptions = {},
): Promise<HostPlace> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-host-')));
  const { log, lines } = keepingLog();
  // Spread anew each time: an option may be a getter that has another value after a restart.
  const open = () => {
    const { timers, clock, ...more } = options;
    return openHost({
      dataDir,
      build: { version: '0.1.0', builtAtMs: 1 },
      runtime: { ...systemRuntime(log), ...(timers && { timers }), ...(clock && { clock }) },
      onStopRequested: () => undefined,
      ...(providers && { providers: () => providers }),
      ...more,
    });
  };
  let host = await open();
  const connectSilently = (credential?: string) => {
    const [ours, theirs] = memoryPair();
    if (credential === undefined) host.attach(theirs, { build: { version: '0.1.0', builtAtMs: 1 } });
    else host.attachLink(new FrameLink(theirs, { timers: systemTimers }), { limits: defaultLimits, credential });
    return new HostPeer(ours);
  };
  return {
    dataDir,
    log: lines,
    get host() {
      return host;
    },
    connectSilently,
    async connect(clientId = 'c1', window = {}) {
      const peer = connectSilently();
      await peer.initialize(clientId, { ...testWindow, ...window });
      return peer;
    },
    async restart() {
      await host.close();
      host = await open();
    },
    async close() {
      await host.close();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
