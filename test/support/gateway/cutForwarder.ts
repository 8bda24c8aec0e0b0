import { connect, createServer, type Socket } from 'node:net';

/** In front of a server on this machine: connections that a test can cut, and refuse for as long as it wants. */
export interface CutForwarder {
  readonly port: number;
  /** Breaks every connection, and refuses new ones. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function cutForwarder(targetPort: number): Promise<CutForwarder> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((incoming) => {
    if (isCut) return void incoming.resetAndDestroy();
    const outgoing = connect(targetPort, '127.0.0.1');
    for (const it of [incoming, outgoing]) {
      sockets.add(it);
      it.on('error', () => undefined);
      it.on('close', () => {
        sockets.delete(it);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = () => {
    isCut = true;
    for (const it of sockets) it.resetAndDestroy();
  };
  return {
    port: address.port,
    cut,
    restore: () => {
      isCut = false;
    },
    async close() {
      cut();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
