import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { FrameDecoder, toFrame } from '../frames.ts';
import { Pace } from './pace.ts';

/** What may wait in here for a client that does not read. Beyond it the host waits, and its own limit counts. */
const HIGH_BYTES = 1024 * 1024;
/** How long a client may take to say goodbye. */
const GOODBYE_MS = 1_000;
/** How long a client may leave what was sent to it unread. */
const STALL_MS = 30_000;

export interface BridgeOptions {
  /** What a client may send; it is read no faster. */
  readonly messagesPerSecond: number;
  /** Default 30 s. */
  readonly stallMs?: number;
}

/** Numbers of RFC 6455, section 7.4.1. */
export const closeCodes = { normal: 1000, goingAway: 1001, notText: 1003, tryAgain: 1013 } as const;

/**
 * Passes messages between a WebSocket, one a text frame, and a stream of `Content-Length` frames, until either ends
 * (host-completion 2.1). Holds one message and {@link HIGH_BYTES} at most: whoever is slow makes the other side wait. The
 * host then drops the connection by its own limit, and a client that does not read at all is let go here.
 */
export function bridge(socket: WebSocket, stream: Duplex, options: BridgeOptions): void {
  // The host's messages may be as large as its queue allows: it made them.
  const decoder = new FrameDecoder({ maxBodyBytes: Number.MAX_SAFE_INTEGER });
  const pace = new Pace(options.messagesPerSecond);
  const waits = new Set<'host' | 'pace'>();
  let stalled: NodeJS.Timeout | undefined;

  const wait = (why: 'host' | 'pace'): void => {
    waits.add(why);
    socket.pause();
  };
  const goOn = (why: 'host' | 'pace'): void => {
    waits.delete(why);
    if (waits.size === 0) socket.resume();
  };
  const readAgain = (): void => {
    if (!stalled || socket.bufferedAmount > HIGH_BYTES / 2) return;
    clearTimeout(stalled);
    stalled = undefined;
    stream.resume();
  };

  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return goodbye(socket, closeCodes.notText, 'messages are text');
    if (!stream.write(toFrame(data.toString('utf8')))) wait('host');
    const delayMs = pace.spend();
    if (delayMs === 0) return;
    wait('pace');
    setTimeout(() => goOn('pace'), delayMs).unref();
  });
  stream.on('drain', () => goOn('host'));
  stream.on('data', (chunk: Buffer) => {
    for (const body of decoder.push(chunk).bodies) socket.send(body, { binary: false }, readAgain);
    if (stalled || socket.bufferedAmount <= HIGH_BYTES) return;
    stream.pause();
    stalled = setTimeout(() => goodbye(socket, closeCodes.tryAgain, 'nothing was read'), options.stallMs ?? STALL_MS);
  });

  stream.once('close', () => goodbye(socket, closeCodes.goingAway, 'the host closed the connection'));
  stream.on('error', () => stream.destroy()); // its close says the rest
  socket.once('close', () => {
    clearTimeout(stalled);
    stream.end();
    const timer = setTimeout(() => stream.destroy(), GOODBYE_MS);
    stream.once('close', () => clearTimeout(timer));
    stream.resume();
  });
}

/** Closes with a reason, and gives the other side a moment to hear it. */
export function goodbye(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  if (socket.readyState === socket.CLOSED) return;
  socket.resume(); // or its goodbye would never be read
  const timer = setTimeout(() => socket.terminate(), GOODBYE_MS);
  socket.once('close', () => clearTimeout(timer));
}
