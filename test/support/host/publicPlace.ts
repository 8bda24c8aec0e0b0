import { WebSocket } from 'ws';
import type { AgentProvider } from '../../../sidecar/agents/provider.ts';
import { AhpAdapters } from '../../../sidecar/dialect/ahpAdapters.ts';
import { systemMachine } from '../../../sidecar/platform/runtime.ts';
import { defaultLimits } from '../../../sidecar/protocol/limits.ts';
import { openWebSocketServer } from '../../../sidecar/transport/webSocket/server.ts';
import { openHostPlace, testWindow } from './hostPlace.ts';
import { PublicPeer } from './publicPeer.ts';

/** One client of the public protocol over a WebSocket of its own. */
export interface PublicConnection {
  readonly peer: PublicPeer;
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
}

/** A host with scripted agents behind the door that `switchboard serve` opens. Close it after each test. */
export interface PublicPlace {
  readonly port: number;
  readonly token: string;
  connect(): Promise<PublicConnection>;
  close(): Promise<void>;
}

const TOKEN = 'a-token-of-the-test';

export async function openPublicPlace(
  providers: readonly AgentProvider[],
  env: Record<string, string> = {},
): Promise<PublicPlace> {
  const place = await openHostPlace(providers);
  const build = { version: '0.1.0', builtAtMs: 1 };
  const ahpAdapters = new AhpAdapters({ build, window: { ...testWindow, env } });
  const server = await openWebSocketServer({
    host: '127.0.0.1',
    port: 0,
    credentialOf: (given) => (given === TOKEN ? 'test' : undefined),
    allowedHosts: [],
    allowedOrigins: [],
    connections: 8,
    messageBytes: 1_000_000,
    messagesPerSecond: 1_000_000,
    maxDepth: defaultLimits.jsonDepth,
    maxQueueBytes: defaultLimits.queueBytes,
    ...systemMachine,
    attach: (link, credential) => place.host.attachLink(link, { limits: defaultLimits, credential }),
    adapterFor(message) {
      const chosen = ahpAdapters.choose(message);
      return chosen === 'none' ? undefined : chosen;
    },
    onRefused: () => undefined,
  });
  const url = `ws://127.0.0.1:${server.port}/?tkn=${TOKEN}`;
  return {
    port: server.port,
    token: TOKEN,
    connect: () => connectPublic(url),
    async close() {
      await server.close();
      await place.close();
    },
  };
}

export function connectPublic(url: string): Promise<PublicConnection> {
  const socket = new WebSocket(url);
  const peer = new PublicPeer((text) => socket.send(text));
  socket.on('message', (data: Buffer) => peer.hear(data.toString('utf8')));
  const closed = new Promise<number>((resolve) => void socket.once('close', resolve));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ peer, socket, closed }));
    socket.on('error', reject);
  });
}
