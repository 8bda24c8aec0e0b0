import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, it } from 'mocha';
import { holdPort } from '../../../../../sidecar/launch/serve/heldPort.ts';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import { verifies } from '../../../../support/verifies.ts';

const host = '127.0.0.1';

describe('a port that no host listens on', () => {
  let server: Server;
  afterEach(() => server.close());
  const listen = async (port = 0) => {
    server = createServer((socket) => socket.pipe(socket));
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  it('is held as soon as the last host lets go of it, and its clients are passed on to the next', async () => {
    verifies('host.served.direct');
    const port = await listen();
    let waits = 0;
    const timers = {
      ...systemMachine.timers,
      wait(delayMs: number) {
        waits += 1;
        if (waits === 2) server.close();
        return systemMachine.timers.wait(delayMs);
      },
    };
    const held = await holdPort({ host, port, most: 2 }, { clock: systemMachine.clock, timers });
    assert.ok(waits >= 2);
    const client = connect(port, host);
    client.write('hello');
    await held.came;
    held.release();
    await listen(port);
    held.passOn();
    const [echo] = (await once(client, 'data')) as [Buffer];
    assert.equal(echo.toString(), 'hello');
    client.destroy();
  });

  /** A client that waited, and the host that it was passed on to. */
  async function passedOn() {
    const port = await listen();
    server.close();
    const held = await holdPort({ host, port, most: 2 }, systemMachine);
    const client = connect(port, host).on('error', () => undefined);
    client.write('hello');
    await held.came;
    held.release();
    server = createServer().listen(port, host);
    await once(server, 'listening');
    held.passOn();
    const [next] = (await once(server, 'connection')) as [Socket];
    const [hello] = (await once(
      next.on('error', () => undefined),
      'data',
    )) as [Buffer];
    assert.equal(hello.toString(), 'hello');
    return { client, next };
  }

  it('tells the host of a client that broke off after it was passed on, and lives', async () => {
    verifies('host.served.direct');
    const { client, next } = await passedOn();
    const closed = once(next, 'close');
    client.resetAndDestroy();
    await closed;
  });

  it('tells a client that was passed on of its host that broke off, and lives', async () => {
    verifies('host.served.direct');
    const { client, next } = await passedOn();
    const closed = once(client.resume(), 'close');
    next.resetAndDestroy();
    await closed;
  });

  it('sends away who waits when there is no next host', async () => {
    verifies('host.served.direct');
    const port = await listen();
    server.close();
    const held = await holdPort({ host, port, most: 2 }, systemMachine);
    const client = connect(port, host);
    await held.came;
    held.release();
    held.drop();
    await once(client.resume(), 'close');
  });

  it('is given up where another program keeps it', async () => {
    verifies('host.served.direct');
    const port = await listen();
    let nowMs = 0;
    const clock = { ...systemMachine.clock, monotonicMs: () => (nowMs += 1_000) };
    const timers = { ...systemMachine.timers, wait: () => Promise.resolve() };
    await assert.rejects(holdPort({ host, port, most: 2 }, { clock, timers }), { code: 'EADDRINUSE' });
  });
});
