import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'mocha';
import { guardedConnector } from '../../../../../../sidecar/gateway/backends/net/agent.ts';
import { checkNetwork } from '../../../../../../sidecar/gateway/backends/net/guard.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';
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

describe('an address that is registered', () => {
  const check = (timers: Parameters<typeof checkNetwork>[2]['timers'], addresses?: readonly string[]) =>
    checkNetwork(
      'https://slow.example/',
      { allowPrivate: false },
      {
        timers,
        lookup: (_, done) =>
          addresses &&
          done(
            null,
            addresses.map((address) => ({ address, family: 4 })),
          ),
      },
      'allow_private_network',
    );

  it('waits 2 s for its name, and is judged when it is used where the resolver is silent', async () => {
    const waited: number[] = [];
    const after = (delayMs: number, work: () => void) => {
      waited.push(delayMs);
      work();
      return () => undefined;
    };
    await check({ after });
    assert.deepEqual(waited, [2_000]);
  });

  it('is refused where its name is private, and nothing waits any more', async () => {
    let stopped = 0;
    const after = () => () => {
      stopped += 1;
    };
    await assert.rejects(check({ after }, ['10.0.0.1']), { code: 'invalid_params' });
    assert.equal(stopped, 1);
    await check(systemTimers, ['93.184.216.34']);
    await check(systemTimers, ['10.0.0.1', '93.184.216.34']);
    await assert.rejects(check(systemTimers, ['10.0.0.1', '169.254.169.254']), { code: 'invalid_params' });
  });
});
