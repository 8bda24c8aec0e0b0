import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Runtime } from '../../platform/runtime.ts';
import type { Timers } from '../../platform/timers.ts';
import { isDeeperThan } from '../depth.ts';
import { FrameDecoder, toFrame } from '../frames.ts';
import { Pace } from './pace.ts';

/** What may wait in here for a client that does not read. Beyond it the host waits, and its own limit counts. */
const HIGH_BYTES = 1024 * 1024;
/** How long a client may take to close its side. */
const GOODBYE_MS = 1_000;
/** How long a client may leave what was sent to it unread. */
const STALL_MS = 30_000;

/** What an adapter makes of one message: the texts that go on and come back, and why the connection ends, if it does. */
export interface AdaptedMessage {
  readonly toHost?: string;
  readonly toClient?: string;
  readonly close?: string;
}
/** Translates between a client and the host where they speak different protocols. */
export interface ProtocolAdapter {
  fromClient(text: string): AdaptedMessage;
  fromHost(text: string): AdaptedMessage;
}

export interface BridgeOptions extends Pick<Runtime, 'clock' | 'timers'> {
  /** What a client may send; it is read no faster. */
  readonly messagesPerSecond: number;
  /** Asked about each message of a client until it is known; `undefined`: not by this one. Absent: none is needed. */
  readonly adapterFor?: (text: string) => ProtocolAdapter | 'none' | undefined;
  /** Default 30 s. */
  readonly stallMs?: number;
}

/** What nests deeper is passed on unread: no host takes it, and each refuses it (limits.ts, `jsonDepth`). */
const MAX_INTERPRETED_DEPTH = 1_000;

/** Numbers of RFC 6455, section 7.4.1. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  broken: 1002,
  notText: 1003,
  notUtf8: 1007,
  refused: 1008,
  tooLarge: 1009,
  tryAgain: 1013,
} as const;

/**
 * Passes messages between a WebSocket, one a text frame, and a stream of `Content-Length` frames, until either ends.
 * Holds one message and {@link HIGH_BYTES} at most: a slow side makes the other one wait. The host then drops the
 * connection by its own limit, and a client that does not read at all is dropped here.
 */
export function bridge(socket: WebSocket, stream: Duplex, options: BridgeOptions): void {
  const { timers } = options;
  // The host's messages may be as large as its queue allows: it made them.
  const decoder = new FrameDecoder({ maxBodyBytes: Number.MAX_SAFE_INTEGER });
  const pace = new Pace(options.messagesPerSecond, options.clock.monotonicMs);
  const waits = new Set<'host' | 'client' | 'pace'>();
  let adapter: ProtocolAdapter | 'none' | undefined = options.adapterFor ? undefined : 'none';
  /** Stops the wait for a client that does not read. */
  let stalled: (() => void) | undefined;

  const wait = (why: 'host' | 'client' | 'pace'): void => {
    waits.add(why);
    socket.pause();
  };
  const resume = (why: 'host' | 'client' | 'pace'): void => {
    waits.delete(why);
    if (waits.size === 0) socket.resume();
  };
  const readAgain = (): void => {
    if (!stalled || socket.bufferedAmount > HIGH_BYTES / 2) return;
    stalled();
    stalled = undefined;
    stream.resume();
    resume('client');
  };
  const waitForReader = (): void => {
    if (stalled || socket.bufferedAmount <= HIGH_BYTES) return;
    stream.pause();
    stalled = timers.after(options.stallMs ?? STALL_MS, () =>
      goodbye(socket, closeCodes.tryAgain, 'nothing was read', timers),
    );
  };

  const adapt = (data: Buffer, text: string): AdaptedMessage => {
    if (adapter === 'none' || isDeeperThan(data, MAX_INTERPRETED_DEPTH)) return { toHost: text };
    adapter ??= options.adapterFor?.(text);
    return isAdapter(adapter) ? adapter.fromClient(text) : { toHost: text };
  };
  const pass = ({ toHost, toClient, close }: AdaptedMessage): void => {
    if (toHost !== undefined && !stream.write(toFrame(toHost))) wait('host');
    if (toClient !== undefined) socket.send(toClient, { binary: false }, readAgain);
    if (close !== undefined) goodbye(socket, closeCodes.normal, close, timers);
  };

  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return goodbye(socket, closeCodes.notText, 'messages are text', timers);
    const adapted = adapt(data, data.toString('utf8'));
    pass(adapted);
    waitForReader();
    // Whoever does not read what it is answered here is not read meanwhile: the host cannot see that.
    if (stalled && adapted.toClient !== undefined) wait('client');
    const delayMs = pace.spend();
    if (delayMs === 0) return;
    wait('pace');
    timers.after(delayMs, () => resume('pace'));
  });
  stream.on('drain', () => resume('host'));
  stream.on('data', (chunk: Buffer) => {
    for (const body of decoder.push(chunk).bodies) {
      if (isAdapter(adapter)) pass(adapter.fromHost(body.toString('utf8')));
      else socket.send(body, { binary: false }, readAgain);
    }
    waitForReader();
  });

  stream.once('close', () => goodbye(socket, closeCodes.goingAway, 'the host closed the connection', timers));
  stream.on('error', () => stream.destroy()); // its close does the rest
  socket.once('close', () => {
    stalled?.();
    stream.end();
    stream.once(
      'close',
      timers.after(GOODBYE_MS, () => stream.destroy()),
    );
    stream.resume();
  });
}

function isAdapter(value: ProtocolAdapter | 'none' | undefined): value is ProtocolAdapter {
  return typeof value === 'object';
}

/** Closes with a reason, and gives the other side a moment to read it. */
export function goodbye(socket: WebSocket, code: number, reason: string, timers: Timers): void {
  socket.close(code, reason);
  if (socket.readyState === socket.CLOSED) return;
  socket.resume(); // or its goodbye would never be read
  socket.once(
    'close',
    timers.after(GOODBYE_MS, () => socket.terminate()),
  );
}
