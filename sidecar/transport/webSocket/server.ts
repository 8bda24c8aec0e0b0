import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { type AdmissionRules, admit, MAX_WAITING } from './admission.ts';
import { closeCodes, goodbye } from './goodbye.ts';
import { WebSocketLink, type WebSocketLinkOptions } from './link.ts';

/** How long a client may take over its upgrade. */
const UPGRADE_MS = 5_000;

export interface WebSocketOptions extends AdmissionRules, WebSocketLinkOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Most clients at a time. */
  readonly connections: number;
  /** Largest message of a client. A larger one ends its connection with 1009, and words. */
  readonly messageBytes: number;
  /** Serves a client that may connect. */
  readonly attach: (link: WebSocketLink, credential: string) => void;
  /** Hears who was sent away and why, never an address or a token. */
  readonly onRefused: (why: string) => void;
}
export interface RunningWebSocketServer {
  readonly port: number;
  /** Ends the connections of those whose token is none any more. */
  dropUnless(isKnown: (credential: string) => boolean): void;
  /** Takes no more clients and frees the port; those that are there stay. */
  stopAccepting(): void;
  /** Says goodbye to all clients and settles when nobody is left. */
  close(): Promise<void>;
}

/**
 * The protocol on WebSocket text frames. Whoever may not connect is refused by HTTP, before the upgrade.
 * @throws when the address cannot be listened on
 */
export async function openWebSocketServer(options: WebSocketOptions): Promise<RunningWebSocketServer> {
  const sockets = new WebSocketServer({
    WebSocket: explainingSocket(options.messageBytes),
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: options.messageBytes,
  });
  const server = createServer({ headersTimeout: UPGRADE_MS, requestTimeout: UPGRADE_MS }, (_request, response) => {
    response.writeHead(426, { Connection: 'close', Upgrade: 'websocket', 'Content-Type': 'text/plain' });
    response.end('This is a WebSocket.\n');
  });
  const credentials = new WeakMap<WebSocket, string>();
  server.maxConnections = options.connections + MAX_WAITING;
  const refuse = (stream: Duplex, status: number, why: string): void => {
    options.onRefused(why);
    const more = status === 401 ? 'WWW-Authenticate: Bearer\r\n' : '';
    stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${more}Connection: close\r\nContent-Length: 0\r\n\r\n`);
  };
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const admission = admit(request, options);
    if (!admission.ok) return refuse(stream, admission.status, admission.why);
    if (sockets.clients.size >= options.connections) return refuse(stream, 503, 'too many clients are connected');
    sockets.handleUpgrade(request, stream, head, (socket) => {
      credentials.set(socket, admission.credential);
      // ws said goodbye with the number for what was wrong: too large, no UTF-8, a broken frame.
      socket.on('error', () => goodbye(socket, closeCodes.normal, '', options.timers));
      options.attach(new WebSocketLink(socket, stream, options), admission.credential);
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    dropUnless(isKnown) {
      for (const it of sockets.clients) {
        if (isKnown(credentials.get(it) ?? '')) continue;
        goodbye(it, closeCodes.refused, 'the token was revoked', options.timers);
      }
    },
    stopAccepting: () => void server.close(),
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const it of sockets.clients) goodbye(it, closeCodes.goingAway, 'the server is stopping', options.timers);
      server.closeIdleConnections();
      await closed;
    },
  };
}

/** A socket that says in words why it ends where `ws` itself ends it, with a number alone. */
function explainingSocket(messageBytes: number): typeof WebSocket {
  const words: Readonly<Record<number, string>> = {
    [closeCodes.tooLarge]: `a message was larger than ${messageBytes} bytes`,
    [closeCodes.notUtf8]: 'a message was not valid UTF-8',
    [closeCodes.broken]: 'a frame was invalid',
  };
  return class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      super.close(code, reason ?? (code === undefined ? undefined : words[code]));
    }
  };
}
