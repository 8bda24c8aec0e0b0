import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type WebSocket, WebSocketServer } from 'ws';
import { openWebSocketConnection } from '../../../../src/remote/webSocketConnection.ts';

const PING_MS = 15_000;

describe('a connection to a host elsewhere', () => {
  let server: WebSocketServer;
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => {
    mock.timers.reset();
    for (const it of server.clients) it.terminate();
    server.close();
  });

  /** @param answers whether the host answers when it is asked whether it is there */
  async function open(answers: boolean) {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0, autoPong: answers });
    await once(server, 'listening');
    server.on('connection', (socket: WebSocket) => {
      socket.once('message', (text: Buffer) => {
        const { id } = JSON.parse(text.toString()) as { id: number };
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      });
    });
    const connection = await openWebSocketConnection({
      address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: 'token',
      initializeParams: {},
      signal: new AbortController().signal,
    });
    const [host] = [...server.clients];
    let isOver = false;
    const over = new Promise<void>((resolve) => {
      connection.onClosed(() => {
        isOver = true;
        resolve();
      });
    });
    return { connection, host: host!, over, isOver: () => isOver };
  }

  it('is given up when the host says nothing from one question to the next', async () => {
    const { host, over } = await open(false);
    const asked = once(host, 'ping');
    mock.timers.tick(PING_MS);
    await asked;
    mock.timers.tick(PING_MS);
    await over;
  });

  it('goes on while the host answers', async () => {
    const { connection, host, isOver } = await open(true);
    for (let n = 0; n < 3; n += 1) {
      const asked = once(host, 'ping');
      mock.timers.tick(PING_MS);
      await asked;
      const answered = connection.request('any', {}); // behind the pong
      host.once('message', (text: Buffer) => {
        const { id } = JSON.parse(text.toString()) as { id: number };
        host.send(JSON.stringify({ jsonrpc: '2.0', id, result: null }));
      });
      await answered;
    }
    assert.equal(isOver(), false);
    connection.close();
  });
});
