import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Server as NetServer, Socket } from 'node:net';
import { Fault } from '../../platform/faults.ts';
import { isLoopback } from '../../platform/loopback.ts';
import type { Timers } from '../../platform/timers.ts';
import type { App } from './app.ts';
import { EarlierHeaders } from './earlierHeaders.ts';
import { IncomingRequest, ParsedMessage } from './incomingRequest.ts';

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly tls?: Certificate | undefined;
  /** Listens beyond this machine without TLS: for a network that somebody else protects. */
  readonly allowInsecure?: boolean;
  /** Receives the server, to emit connections on it. If it is set, the port is not opened. */
  readonly onServer?: ((server: Server) => void) | undefined;
  /**
   * What is emitted are connections of callers that another process of this gateway hands over: as they came, or `plain` after
   * their TLS ended there. They are waited for at the end.
   */
  readonly handed?: 'raw' | 'plain' | undefined;
}

export interface Listening {
  readonly port: number;
  readonly isSecure: boolean;
  /** For connections that begin from now on; open ones stay. @throws where certificate and key do not belong together */
  renewCertificate(certificate: Certificate): void;
  /**
   * Takes no new requests and waits for those under way, streams included, for at most `graceMs`; what is left is then
   * ended.
   */
  close(graceMs: number): Promise<void>;
}

const HEADERS_MS = 20_000;
const REQUEST_MS = 120_000;
const IDLE_MS = 65_000;
const MAX_HEADER_BYTES = 64 * 1024;

/** @throws {Fault} `invalid_params` for a listener that would be open without protection; `unavailable` for a taken port */
export async function listen(app: App, options: ListenOptions, timers: Timers): Promise<Listening> {
  const { host, port, tls, onServer, handed } = options;
  checkProtection(options);
  const limits = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Two Content-Length headers, or one beside chunks, are how requests are smuggled.
    insecureHTTPParser: false,
    requireHostHeader: true,
    IncomingMessage: ParsedMessage,
  };
  const earlier = new EarlierHeaders();
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // What fails here broke while it was written: nobody takes a part for the whole.
    app(new IncomingRequest(incoming, outgoing, earlier), outgoing).catch(() => outgoing.destroy());
  };
  const secure = tls && handed !== 'plain' && createSecureServer({ ...limits, ...tls }, handle);
  const server: Server = secure || createServer(limits, handle);
  const open = handed && openSockets(server);
  if (onServer) onServer(server);
  return {
    port: onServer ? port : await openPort(server, host, port),
    isSecure: tls !== undefined,
    renewCertificate: (certificate) => {
      if (secure) secure.setSecureContext(certificate);
    },
    close: (graceMs) => closeGently(server, graceMs, timers, open),
  };
}

/** @throws {Fault} `invalid_params` for a listener that would be open without protection */
export function checkProtection({ host, tls, allowInsecure }: Pick<ListenOptions, 'host' | 'tls' | 'allowInsecure'>) {
  if (tls || allowInsecure || isLoopback(host)) return;
  throw new Fault(
    'invalid_params',
    `Listening on ${host} requires a certificate (listen.tls), or listen.allow_insecure if the connection is protected in another way.`,
    { data: { field: 'listen.host' } },
  );
}

/** @returns the port, which the system chooses for 0 @throws {Fault} `unavailable` */
export function openPort(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const words = `The gateway cannot listen on ${host}:${port}. Check whether the port is in use.`;
    server.once('error', (cause) => reject(new Fault('unavailable', words, { cause })));
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** How soon a connection whose answer has ended is let go. */
const LET_GO_MS = 50;

function closeGently(server: Server, graceMs: number, timers: Timers, open?: OpenSockets): Promise<void> {
  return new Promise((resolve) => {
    const stopGrace = timers.after(graceMs, () => server.closeAllConnections());
    // A stream's headers went out before anybody knew that we leave: its connection idles when it ends.
    const stopLettingGo = timers.every(LET_GO_MS, () => server.closeIdleConnections());
    server.close(() => {
      void (open?.closed() ?? Promise.resolve()).then(() => {
        stopGrace();
        stopLettingGo();
        resolve();
      });
    });
    server.closeIdleConnections();
  });
}

interface OpenSockets {
  /** Once none is left. */
  closed(): Promise<void>;
}

/** Connections that others emit on a server, which does not count those. */
function openSockets(server: Server): OpenSockets {
  const open = new Set<Socket>();
  let none: (() => void) | undefined;
  // From then on Node.js looks for requests that take too long, and for connections that idle.
  server.emit('listening');
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) none?.();
    });
  });
  return { closed: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => void (none = resolve))) };
}
