import { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { FrameDecoder } from '../../../sidecar/transport/frames.ts';
import { toFrame } from './toFrame.ts';

export interface OpenedWebSocket {
  readonly socket: WebSocket;
  /** The same messages in `Content-Length` frames, for clients that are made for streams. */
  readonly stream: Duplex;
  /** Settles with the number and the reason of the end. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** @throws {Error} `Unexpected server response: 401` and the like, when the upgrade is refused */
export function openWebSocket(url: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenedWebSocket> {
  const socket = new WebSocket(url, { headers: { ...headers } });
  const decoder = new FrameDecoder();
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      for (const body of decoder.push(chunk).bodies) socket.send(body, { binary: false });
      done();
    },
    final(done) {
      socket.close();
      done();
    },
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => {
      stream.push(null);
      resolve({ code, reason: reason.toString() });
    });
  });
  socket.on('message', (data: Buffer) => stream.push(toFrame(data.toString('utf8'))));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ socket, stream, closed }));
    socket.on('error', reject);
  });
}
