import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { type Connection, NoAnswer } from '../client/connection.ts';
import { JsonRpc } from './jsonRpc.ts';

/** Largest message of a host: snapshots are cut to some turns, and large outputs stay behind references. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Close code of RFC 6455 for a message that the other side does not read for its size. */
const TOO_LARGE = 1009;
const OPENING_MS = 20_000;
/** A host that is asked so often whether it is there, and said nothing meanwhile, is gone. */
const PING_MS = 15_000;

/** The server answered by HTTP instead of a connection. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused';
  readonly status: number;
  constructor(status: number) {
    super(`the server answered ${status}`);
    this.status = status;
  }
}

export interface WebSocketOptions {
  readonly address: string;
  /** Goes into the `Authorization` header of the upgrade, and nowhere else. */
  readonly token: string;
  readonly initializeParams: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** How long the host may take over the upgrade and the answer to `initialize`; absent: 20 seconds. */
  readonly openingMs?: number;
}

/** One life of a connection over WebSocket, one message a text frame. */
export interface RemoteConnection extends Connection {
  /** Nobody is notified of this end. */
  close(): void;
}

/**
 * Connects, and answers once `initialize` was answered. A redirect is not followed: the token is for this address.
 * @throws {UpgradeRefused} before the upgrade; the host's error (`code`, `message`); {NoAnswer} in time; what the network says
 */
export async function openWebSocketConnection(options: WebSocketOptions): Promise<RemoteConnection> {
  const { address, token, initializeParams, openingMs = OPENING_MS } = options;
  const patience = AbortSignal.timeout(openingMs);
  const signal = AbortSignal.any([options.signal, patience]);
  signal.throwIfAborted();
  const socket = new WebSocket(address, {
    headers: { Authorization: `Bearer ${token}` },
    followRedirects: false,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const rpc = new JsonRpc((text) => socket.send(text));
  const listeners = new Set<(reason: string, cause?: 'messageTooLarge') => void>();
  let trouble = '';
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) socket.close(1003, 'messages must be text');
    else rpc.receive(data.toString('utf8'));
  });
  socket.on('error', ({ message }) => (trouble = message));
  socket.once('close', (code, reason) => {
    const why = reason.toString() || trouble || `WebSocket ${code}`;
    rpc.end(why);
    for (const it of listeners) it(why, code === TOO_LARGE ? 'messageTooLarge' : undefined);
  });
  try {
    await opened(socket, signal);
    const result = await Promise.race([rpc.request('initialize', initializeParams), aborted(signal)]);
    keepAlive(socket);
    return {
      initializeResult: result,
      request: (method, params, cancel) => rpc.request(method, params, cancel),
      notify: async (method, params) => rpc.notify(method, params),
      onNotification: (method, listener) => rpc.onNotification(method, listener),
      onClosed(listener) {
        listeners.add(listener);
        return { dispose: () => void listeners.delete(listener) };
      },
      close() {
        listeners.clear();
        socket.close(1000);
      },
    };
  } catch (thrown) {
    socket.terminate();
    throw patience.aborted ? new NoAnswer(`no answer within ${openingMs / 1000} s`, { cause: thrown }) : thrown;
  }
}

/** @throws {UpgradeRefused}, or what the network says */
async function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const refused = new Promise<never>((_resolve, reject) => {
    socket.once('unexpected-response', (_request, { statusCode = 0 }: IncomingMessage) => {
      reject(new UpgradeRefused(statusCode));
    });
  });
  await Promise.race([once(socket, 'open', { signal }), refused]);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** A network that went away says nothing. */
function keepAlive(socket: WebSocket): void {
  let isAlive = true;
  const received = () => void (isAlive = true);
  socket.on('pong', received);
  socket.on('message', received);
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_MS);
  socket.once('close', () => clearInterval(timer));
}
