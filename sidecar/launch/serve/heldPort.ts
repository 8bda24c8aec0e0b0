import { connect, createServer, type Socket } from 'node:net';

/** A port that no host listens on: whoever connects waits for the next one, and no other program can take its place. */
export interface HeldPort {
  /** Settles when somebody waits. */
  readonly came: Promise<void>;
  /** Lets go of the port; those who wait go on waiting. */
  release(): Promise<void>;
  /** The next host listens: passes it those who wait, byte by byte. */
  passOn(): void;
  /** Sends those who wait away. */
  drop(): void;
}

/** @param most connections that may wait @throws when the port cannot be had */
export async function holdPort(host: string, port: number, most: number): Promise<HeldPort> {
  const waiting = new Set<Socket>();
  let someoneCame = (): void => undefined;
  const came = new Promise<void>((resolve) => {
    someoneCame = resolve;
  });
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    waiting.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => waiting.delete(socket));
    someoneCame();
  });
  server.maxConnections = most;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    came,
    // Its callback would wait for those who wait.
    async release() {
      server.close();
    },
    passOn() {
      for (const it of waiting) passOn(it, connect(port, host));
      waiting.clear();
    },
    drop() {
      for (const it of waiting) it.destroy();
    },
  };
}

function passOn(client: Socket, host: Socket): void {
  client.pipe(host);
  host.pipe(client);
  host.once('error', () => client.destroy());
  host.once('close', () => client.destroySoon());
  client.once('close', () => host.destroySoon());
}
