import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sendStream } from '../../../../../sidecar/gateway/http/sendStream.ts';
import type { HttpResponse } from '../../../../../sidecar/platform/httpMessages.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { until } from '../../../../support/until.ts';

describe('an answer that comes bit by bit', () => {
  let server: Server;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let pulled: number;
  let isCancelled: boolean;
  let broken: unknown[];
  let sent: Promise<void>;
  let beforeSending: (outgoing: ServerResponse) => Promise<unknown>;
  beforeEach(async () => {
    [pulled, isCancelled, broken, sent] = [0, false, [], Promise.resolve()];
    beforeSending = async () => undefined;
    server = createServer((_, outgoing) => {
      const body = new ReadableStream<Uint8Array>({
        start: (it) => void (controller = it),
        pull: () => void (pulled += 1),
        cancel: () => void (isCancelled = true),
      });
      const response = new Response(body, { status: 201, headers: { 'x-own': 'yes' } }) as unknown as HttpResponse;
      sent = beforeSending(outgoing).then(() =>
        sendStream(response, outgoing, systemTimers, (thrown) => broken.push(thrown)),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const call = () => get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const answer = async () => {
    const request = call();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { request, response };
  };

  it('has its head before there is anything of its body, and then each bit', async () => {
    const { response } = await answer();
    assert.deepEqual([response.statusCode, response.headers['x-own']], [201, 'yes']);
    controller.enqueue(Buffer.from('one'));
    assert.equal(String((await once(response, 'data'))[0]), 'one');
    controller.enqueue(Buffer.from('two'));
    assert.equal(String((await once(response, 'data'))[0]), 'two');
    controller.close();
    await once(response, 'end');
    await sent;
    assert.deepEqual([response.complete, isCancelled, broken], [true, false, []]);
  });
  it('is not read any more once its caller left', async () => {
    const { request } = await answer();
    request.destroy();
    await until('its body is cancelled', () => isCancelled);
    await sent;
    assert.deepEqual(broken, []);
  });
  it('is not read at all where its caller left before it', async () => {
    beforeSending = (outgoing) => once(outgoing.destroy(), 'close');
    call().on('error', () => undefined);
    await until('its body is cancelled', () => isCancelled);
    await sent;
    assert.deepEqual(broken, []);
  });
  it('breaks off where its body breaks, so that nobody takes a part for the whole', async () => {
    const { response } = await answer();
    controller.enqueue(Buffer.from('a part'));
    await once(response, 'data');
    const failed = once(response, 'error');
    controller.error(new Error('the backend left'));
    await failed;
    await sent;
    assert.deepEqual([response.complete, broken.map(String)], [false, ['Error: the backend left']]);
  });
  it('is given up where its caller leaves while it waits for room', async () => {
    const { request, response } = await answer();
    response.pause();
    const piece = Buffer.alloc(1024 * 1024);
    for (let n = 0; n < 32; n += 1) {
      controller.enqueue(piece);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    request.destroy();
    await sent;
    assert.deepEqual([isCancelled, broken], [true, []]);
  });
  it('leaves neither a timer nor a listener behind', async () => {
    const timers = { started: 0, stopped: 0 };
    const soon = () => {
      timers.started += 1;
      return () => void (timers.stopped += 1);
    };
    const listeners = new Set<unknown>();
    const outgoing = {
      setHeaders: () => undefined,
      writeHead: () => undefined,
      write: () => true,
      end: () => undefined,
      destroyed: false,
      once: (_name: string, listener: unknown) => listeners.add(listener),
      off: (_name: string, listener: unknown) => listeners.delete(listener),
    } as unknown as ServerResponse;
    await sendStream(new Response('whole') as unknown as HttpResponse, outgoing, { soon }, () => undefined);
    assert.deepEqual([timers, listeners.size], [{ started: 1, stopped: 1 }, 0]);
  });
  it('waits for a caller that reads slowly', async () => {
    const { response } = await answer();
    response.pause();
    const piece = Buffer.alloc(1024 * 1024);
    for (let n = 0; n < 32; n += 1) {
      const before = pulled;
      controller.enqueue(piece);
      for (let turns = 0; turns < 20 && pulled === before; turns += 1)
        await new Promise((resolve) => void setImmediate(resolve));
    }
    assert.ok(pulled < 32, `${pulled} pieces were read`);
    controller.close();
    let size = 0;
    for await (const chunk of response) size += (chunk as Buffer).length;
    assert.equal(size, 32 * piece.length);
  });
});
