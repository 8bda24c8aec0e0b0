import { ROOT } from '../../../sidecar/protocol/uris.ts';
import { PROTOCOL_VERSION } from '../../../sidecar/protocol/version.ts';
import { Attention } from '../../../src/client/attention.ts';
import { SessionCatalogue } from '../../../src/client/catalogue.ts';
import { HostClient } from '../../../src/client/hostClient.ts';
import type { Host } from '../../../src/client/hosts.ts';
import { RemoteHost } from '../../../src/remote/remoteHost.ts';
import { openWebSocketConnection } from '../../../src/remote/webSocketConnection.ts';
import { until } from '../until.ts';

/** A window's part for one host elsewhere, with the engine that it uses for its own. */
export class Far {
  readonly host: Host;
  readonly remote: RemoteHost;
  readonly warned: string[] = [];
  token: string | undefined;

  constructor(address: string, token: string | undefined, name = 'Far') {
    this.token = token;
    const warn = (message: string) => void this.warned.push(message);
    const client: HostClient = new HostClient({
      clientId: crypto.randomUUID(),
      now: () => new Date().toISOString(),
      connect: () => this.remote.connected(({ kind }) => kind),
      warn,
    });
    const catalogue = new SessionCatalogue(client, warn);
    this.host = { id: address, name, client, catalogue, attention: new Attention(client, catalogue) };
    this.remote = new RemoteHost({
      token: async () => this.token,
      open: (given, signal) =>
        openWebSocketConnection({
          address,
          token: given,
          signal,
          initializeParams: {
            channel: ROOT,
            protocolVersions: [PROTOCOL_VERSION],
            clientId: client.clientId,
            initialSubscriptions: [ROOT],
            initializationOptions: { servedWindow: true },
          },
        }),
      attach: (connection) => client.attach(connection),
      schedule: (work, delayMs) => {
        const timer = setTimeout(work, Math.min(delayMs, 100));
        return { dispose: () => clearTimeout(timer) };
      },
      random: Math.random,
      monotonicMs: () => performance.now(),
    });
  }

  async is(kind: RemoteHost['state']['kind']): Promise<void> {
    await until(`the host is ${kind}`, () => this.remote.state.kind === kind, { seen: () => this.remote.state });
  }
}
