import { connect, createServer, type Socket } from 'node:net';
import type { Runtime } from '../../platform/runtime.ts';

/** A port that no host listens on: whoever connects waits for the next one, and no other program can take its place. */
export interface HeldPort {
  /** Settles when somebody waits. */
  readonly came: Promise<void>;
  /** Lets go of the port; those who wait go on waiting. */
  release(): void;
  /** The next host listens: passes it those who wait, byte by byte. */
  passOn(): void;
  /** Sends those who wait away. */
  drop(): void;
}

/** A host that was killed closes its port a moment after the connection to us. */
const CLOSING_MS = 5_000;
const AGAIN_MS = 20;

/** @param most connections that may wait @throws when the port cannot be had */
export async function holdPort(
  { host, port, most }: { readonly host: string; readonly port: number; readonly most: number },
  { clock, timers }: Pick<Runtime, 'clock' | 'timers'>,
): Promise<HeldPort> {
  const deadline = clock.monotonicMs() + CLOSING_MS;
  for (;;) {
    try {
      return await hold(host, port, most);
    } catch (thrown) {
      if (clock.monotonicMs() > deadline) throw thrown;
      await timers.wait(AGAIN_MS);
    }
  }
}

async function hold(host: string, port: number, most: number): Promise<HeldPort> {
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
    release: () => void server.close(),
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
