import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import type { WebSocketLink } from '../../../../../sidecar/transport/webSocket/link.ts';
import { openWebSocketServer, type RunningWebSocketServer } from '../../../../../sidecar/transport/webSocket/server.ts';

describe('the server of WebSockets', () => {
  let server: RunningWebSocketServer;
  let attached: [credential: string, link: WebSocketLink][];
  const open = async () => {
    attached = [];
    server = await openWebSocketServer({
      host: '127.0.0.1',
      port: 0,
      credentialOf: (given) => (given.startsWith('token-') ? given.slice(6) : undefined),
      allowedHosts: [],
      allowedOrigins: [],
      connections: 2,
      messageBytes: 1_000,
      messagesPerSecond: 1_000,
      maxDepth: 8,
      maxQueueBytes: 1_000_000,
      ...systemMachine,
      attach: (link, credential) => void attached.push([credential, link]),
      onRefused: () => undefined,
    });
  };
  afterEach(() => server.close());
  const connect = async (name: string) => {
    const client = new WebSocket(`ws://127.0.0.1:${server.port}/?tkn=token-${name}`);
    await once(client, 'open');
    return client;
  };

  it('attaches each client with its credential, and passes texts both ways', async () => {
    await open();
    const [ann, bob] = [await connect('ann'), await connect('bob')];
    assert.deepEqual(
      attached.map(([credential]) => credential),
      ['ann', 'bob'],
    );
    const [, link] = attached[1]!;
    const message = new Promise((resolve) => {
      const ignore = () => undefined;
      const around = (read: () => void) => read();
      link.listen({ message: resolve, refused: ignore, closed: ignore, trouble: ignore, around });
    });
    bob.send('{"jsonrpc":"2.0","id":"ü","method":"ping"}');
    assert.deepEqual(await message, { jsonrpc: '2.0', id: 'ü', method: 'ping' });
    const answer = once(bob, 'message');
    link.write({ a: 'ß' });
    const [data, isBinary] = (await answer) as [Buffer, boolean];
    assert.deepEqual([data.toString(), isBinary], ['{"a":"ß"}', false]);
    assert.equal(ann.readyState, WebSocket.OPEN);
  });

  it('keeps the clients that are there when it takes no more, and sends them away when it ends', async () => {
    await open();
    const ann = await connect('ann');
    server.stopAccepting();
    await assert.rejects(connect('bob'), { code: 'ECONNREFUSED' });
    assert.equal(ann.readyState, WebSocket.OPEN);
    const closed = once(ann, 'close');
    await server.close();
    const [code, reason] = (await closed) as [number, Buffer];
    assert.deepEqual([code, reason.toString()], [1001, 'the server is stopping']);
  });

  it('ends the connections of credentials that are none any more', async () => {
    await open();
    const [ann, bob] = [await connect('ann'), await connect('bob')];
    const closed = once(ann, 'close');
    server.dropUnless((credential) => credential === 'bob');
    const [code, reason] = (await closed) as [number, Buffer];
    assert.deepEqual([code, reason.toString(), bob.readyState], [1008, 'the token was revoked', WebSocket.OPEN]);
  });
});
