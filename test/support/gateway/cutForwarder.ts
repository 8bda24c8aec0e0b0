import { connect, createServer, type Socket } from 'node:net';

/** In front of a server on this machine: connections that a test can cut, and refuse for as long as it wants. */
export interface CutForwarder {
  readonly port: number;
  /** Breaks every connection, and refuses new ones. */
  cut(): void;
  restore(): void;
  /** Takes connections and passes nothing on, as a server that went away without a word. Until {@link release}. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

export async function cutForwarder(targetPort: number): Promise<CutForwarder> {
  const sockets = new Set<Socket>();
  const pairs = new Set<{ readonly pass: () => void; readonly stop: () => void }>();
  let isCut = false;
  let isHeld = false;
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
    const pair = {
      pass: () => void incoming.pipe(outgoing).pipe(incoming),
      stop() {
        incoming.unpipe(outgoing).pause();
        outgoing.unpipe(incoming).pause();
      },
    };
    pairs.add(pair);
    incoming.on('close', () => pairs.delete(pair));
    if (isHeld) pair.stop();
    else pair.pass();
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
    hold() {
      isHeld = true;
      for (const it of pairs) it.stop();
    },
    release() {
      isHeld = false;
      for (const it of pairs) it.pass();
    },
    async close() {
      cut();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
