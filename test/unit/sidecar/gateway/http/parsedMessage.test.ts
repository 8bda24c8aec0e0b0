import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as soon } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ParsedMessage } from '../../../../../sidecar/gateway/http/incomingRequest.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { until } from '../../../../support/until.ts';

const head = (more: string) => `POST / HTTP/1.1\r\nhost: here\r\n${more}\r\n\r\n`;

describe('the body of a request that is received as a whole', () => {
  let serve: (incoming: ParsedMessage, outgoing: ServerResponse) => void;
  let close: () => void;
  let client: Socket;

  beforeEach(async () => {
    const server = createServer({ IncomingMessage: ParsedMessage }, (incoming, outgoing) => serve(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    close = () => {
      client.destroy();
      server.close();
    };
  });
  afterEach(() => close());

  /** What each request received, as soon as so many did. */
  const bodies = (count: number) =>
    new Promise<readonly string[]>((resolve, reject) => {
      const all: string[] = [];
      serve = (incoming, outgoing) => {
        incoming.receive()!.then((bytes) => {
          all.push(bytes.toString());
          outgoing.end();
          if (all.length === count) resolve(all);
        }, reject);
      };
    });

  it('is what the caller sent: in pieces, in chunks, empty, and on a connection that is used again', async () => {
    const received = bodies(4);
    client.write(`${head('content-length: 4')}on`);
    await soon();
    client.write('e!');
    client.write(`${head('transfer-encoding: chunked')}3\r\ntwo\r\n4\r\n two\r\n0\r\n\r\n`);
    client.write(head('content-length: 0'));
    client.write(`${head('content-length: 4')}last`);
    assert.deepEqual(await received, ['one!', 'two two', '', 'last']);
  });

  it('is refused if the caller disconnects before its end', async () => {
    const received = bodies(1);
    client.end(`${head('content-length: 4')}on`);
    await assert.rejects(received, (thrown: unknown) => thrown instanceof Fault && thrown.code === 'invalid_params');
  });

  it('is not kept by a connection that waits for the next request', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const received = new Promise<WeakRef<Buffer>>((resolve, reject) => {
      serve = (incoming, outgoing) => {
        incoming.receive()!.then((bytes) => outgoing.end(() => resolve(new WeakRef(bytes))), reject);
      };
    });
    client.write(`${head('content-length: 4')}body`);
    const body = await received;
    const isCollected = async () => {
      await soon();
      collect();
      return body.deref() === undefined;
    };
    await until('the body is collected', isCollected, { limitMs: 3_000 });
    assert.equal(client.readable, true);
  });

  it('is left to the stream if some of it has arrived', async () => {
    const read = new Promise<unknown>((resolve, reject) => {
      serve = (incoming) => {
        incoming.once('readable', () => {
          const received = incoming.receive();
          incoming.on('data', (bytes: Buffer) => resolve([received, bytes.toString()]));
        });
        incoming.on('error', reject);
      };
    });
    client.write(`${head('content-length: 4')}body`);
    assert.deepEqual(await read, [undefined, 'body']);
  });
});
