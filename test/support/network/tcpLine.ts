import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a port of this machine that can be cut, as a network does. */
export interface TcpLine {
  readonly port: number;
  /** Breaks every connection without a goodbye. New ones are let through. */
  cut(): void;
  close(): void;
}

export async function openTcpLine(to: number): Promise<TcpLine> {
  const sockets = new Set<Socket>();
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const cut = (): void => {
    for (const it of sockets) it.destroy();
  };
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const it of [near, far]) hold(it);
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close() {
      server.close();
      cut();
    },
  };
}
