import { createServer, type Socket } from 'node:net';
import { openPort } from '../../http/listen.ts';

/** The port of callers, whose connections go to workers. */
export interface FrontPort {
  readonly port: number;
  /** Accepts no more connections. */
  close(): void;
}

/** @param onConnection of a caller; nothing was read of it @throws {Fault} `unavailable` */
export async function openFrontPort(
  host: string,
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<FrontPort> {
  // A connection that is handed over must not be read before.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  return { port: await openPort(server, host, port), close: () => void server.close() };
}
