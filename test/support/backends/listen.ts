import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** On a free port of loopback; closing ends open connections. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<Listening> {
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}
