import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, describe, it } from 'mocha';
import { WebSocket, WebSocketServer } from 'ws';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import { toFrame } from '../../../../../sidecar/transport/frames.ts';
import { bridge } from '../../../../../sidecar/transport/webSocket/bridge.ts';
import { RawClient } from '../../../../support/host/rawClient.ts';
import { memoryPair } from '../../../../support/memoryPair.ts';

describe('the bridge between a WebSocket and the host', () => {
  let server: WebSocketServer | undefined;
  afterEach(() => {
    for (const it of server?.clients ?? []) it.terminate();
    server?.close();
  });

  /** A client of the bridge, and the host's end of it. */
  async function open(stallMs?: number): Promise<{ client: WebSocket; host: Duplex }> {
    const own = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    server = own;
    await once(own, 'listening');
    const [near, host] = memoryPair();
    own.once('connection', (socket) =>
      bridge(socket, near, {
        ...systemMachine,
        messagesPerSecond: 1_000_000,
        ...(stallMs !== undefined && { stallMs }),
      }),
    );
    const client = new WebSocket(`ws://127.0.0.1:${(own.address() as AddressInfo).port}`);
    await once(client, 'open');
    return { client, host };
  }

  it('makes each text frame a message of the host, and each message of the host a text frame', async () => {
    const { client, host } = await open();
    const raw = new RawClient(host);
    client.send('{"id":1}');
    client.send('{"id":"ü"}');
    await raw.answerTo('ü');
    assert.deepEqual(raw.heard, [{ id: 1 }, { id: 'ü' }]);
    const got: string[] = [];
    const both = new Promise((resolve) => {
      client.on(
        'message',
        (data: Buffer, isBinary) => got.push(`${isBinary} ${data.toString()}`) === 2 && resolve(null),
      );
    });
    host.write(toFrame('{"a":"ß"}') + toFrame('{}').slice(0, 5));
    host.write(toFrame('{}').slice(5));
    await both;
    assert.deepEqual(got, ['false {"a":"ß"}', 'false {}']);
  });

  it('holds no more than a little for a client that does not read, and lets it go in the end', async () => {
    const { client, host } = await open(1);
    client.pause();
    const frame = toFrame(JSON.stringify({ text: 'x'.repeat(100_000) }));
    let isEnded = false;
    const ended = once(host, 'end').then(() => (isEnded = true));
    host.resume();
    const before = process.memoryUsage().arrayBuffers;
    let written = 0;
    while (!isEnded && written < 2_000) {
      written += 1;
      if (!host.write(frame)) await Promise.race([new Promise((resolve) => void host.once('drain', resolve)), ended]);
    }
    assert.ok(isEnded, 'it was never let go');
    assert.ok(process.memoryUsage().arrayBuffers - before < 100_000_000);
    client.resume();
    client.on('error', () => undefined);
    if (client.readyState !== client.CLOSED) await once(client, 'close');
  });

  it('reads a client again only when nothing holds it up any more: neither the host nor its pace', () => {
    let isPaused = false;
    const socket = Object.assign(new EventEmitter(), {
      bufferedAmount: 0,
      readyState: WebSocket.CLOSED,
      close: () => undefined,
      pause: () => void (isPaused = true),
      resume: () => void (isPaused = false),
    });
    const near = new Duplex({ read: () => undefined, write: () => undefined, highWaterMark: 1 });
    bridge(socket as unknown as WebSocket, near, { ...systemMachine, messagesPerSecond: 1 });
    socket.emit('message', Buffer.from('{}'), false);
    assert.equal(isPaused, true);
    near.emit('drain');
    assert.equal(isPaused, true, 'the host is ready, and the client is still too fast');
  });

  it('ends the connection to the host with that of the client', async () => {
    const { client, host } = await open();
    host.resume();
    client.close();
    await once(host, 'end');
  });
});
