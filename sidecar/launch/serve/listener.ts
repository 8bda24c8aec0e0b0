import { AhpAdapters } from '../../dialect/ahpAdapters.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { Build } from '../../protocol/hostInfo.ts';
import { openWebSocketServer, type RunningWebSocketServer } from '../../transport/webSocket/server.ts';
import type { Host } from '../host/hostContract.ts';
import { ClientTokens, clientTokensFile, credentialOf, SHARED } from './clientTokens.ts';
import type { ListenOptions } from './listenLine.ts';
import { WindowAdapter } from './windowAdapter.ts';

/** How long a connection may go on whose token was revoked. */
const REVOKED_MS = 500;

export interface ListenerDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  readonly host: Pick<Host, 'attachLink'>;
  readonly build: Build;
  /** Where the list of tokens is. */
  readonly dataDir: string;
}

/** Clients over WebSocket, each served by this process without another one between. @throws when the address is taken */
export async function openListener(options: ListenOptions, deps: ListenerDeps): Promise<RunningWebSocketServer> {
  const { host, build, dataDir, clock, timers, log } = deps;
  const { tokenHash, limits, window } = options;
  // Two listeners of one host with two tokens: whoever has one of them is not whoever has the other.
  const sharedCredential = `${SHARED}:${tokenHash.slice(0, 32)}`;
  const tokens = new ClientTokens(clientTokensFile(dataDir));
  const ahpAdapters = new AhpAdapters({ build, window });
  const server = await openWebSocketServer({
    host: options.host,
    port: options.port,
    credentialOf: (given) => credentialOf(given, tokenHash, tokens.current()),
    allowedHosts: options.allowedHosts.map((it) => it.toLowerCase()),
    allowedOrigins: options.allowedOrigins,
    connections: options.connections,
    messageBytes: limits.messageBytes,
    messagesPerSecond: options.messagesPerSecond,
    maxDepth: limits.jsonDepth,
    maxQueueBytes: limits.queueBytes,
    clock,
    timers,
    adapterFor: (message) => {
      const chosen = ahpAdapters.choose(message);
      return chosen === 'none' ? new WindowAdapter(window) : chosen;
    },
    attach: (link, credential) =>
      host.attachLink(link, { limits, credential: credential === SHARED ? sharedCredential : credential }),
    onRefused: (why) => log.warn({ why }, 'a client was rejected'),
  });
  const stopLooking = timers.every(REVOKED_MS, () => {
    const ids = new Set([SHARED, ...tokens.current().map((it) => it.id)]);
    server.dropUnless((credential) => ids.has(credential));
  });
  return {
    ...server,
    close() {
      stopLooking();
      return server.close();
    },
  };
}
