import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { selfSigned } from './selfSigned.ts';

/** What stands in front of a server and speaks TLS for it, as a proxy does. Close it after the test. */
export interface TlsTerminator {
  readonly url: string;
  /** PEM; signs itself. */
  readonly cert: string;
  /** Bytes of clients that got through the handshake. */
  readonly heard: () => number;
  close(): Promise<void>;
}

/** @param behind address of the server; @param address that the certificate is for */
export async function openTlsTerminator(behind: string, address?: readonly number[]): Promise<TlsTerminator> {
  const { port, hostname } = new URL(behind);
  const { cert, key } = selfSigned(address);
  const sockets = new Set<Socket>();
  let heard = 0;
  const server = createServer({ cert, key }, (client) => {
    const inner = connect(Number(port), hostname);
    for (const [it, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(it);
      it.on('error', () => other.destroy());
      it.on('close', () => {
        sockets.delete(it);
        other.destroy();
      });
    }
    client.on('data', (it: Buffer) => (heard += it.length));
    client.pipe(inner).pipe(client);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `wss://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cert,
    heard: () => heard,
    close() {
      for (const it of sockets) it.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
