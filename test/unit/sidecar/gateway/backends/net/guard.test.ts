import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'mocha';
import { guardedConnector } from '../../../../../../sidecar/gateway/backends/net/guard.ts';
import { endListener, listenOnLoopback } from '../../../../../support/mcp/loopback.ts';
import { verifies } from '../../../../../support/verifies.ts';

/** A public address (6to4) to which no network has a way any more. */
const nowhere = '2002:808:808::1';

describe('a name with a public and a private address (SSRF)', () => {
  verifies('security.ssrf');
  for (const order of [
    ['127.0.0.1', nowhere],
    [nowhere, '127.0.0.1'],
  ]) {
    it(`never leads to the private one where private networks are not allowed: ${order.join(', ')}`, async () => {
      let came = 0;
      const server = createServer().on('connection', () => {
        came += 1;
      });
      const { port } = new URL(await listenOnLoopback(server));
      try {
        const connect = guardedConnector(
          { allowPrivate: false },
          {
            connectTimeoutMs: 300,
            lookup: (_, done) => {
              done(
                null,
                order.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
              );
            },
          },
        );
        const error = await new Promise<Error | null>((resolve) => {
          connect(
            { hostname: 'mixed.example', protocol: 'http:', port, host: `mixed.example:${port}` },
            (thrown, socket) => {
              socket?.destroy();
              resolve(thrown);
            },
          );
        });
        assert.ok(error, 'a socket was opened');
        assert.equal(came, 0);
      } finally {
        await endListener(server);
      }
    });
  }
});
