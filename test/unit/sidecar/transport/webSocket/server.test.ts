import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import { openWebSocketServer } from '../../../../../sidecar/transport/webSocket/server.ts';
import { memoryPair } from '../../../../support/memoryPair.ts';
import { until } from '../../../../support/until.ts';

describe('the server of WebSockets', () => {
  it('keeps no connection to the host for a client that left while the host was being found', async () => {
    const [near] = memoryPair();
    let found: ((stream: Duplex) => void) | undefined;
    const server = await openWebSocketServer({
      host: '127.0.0.1',
      port: 0,
      credentialOf: (given) => (given === 'a token of this test' ? 'test' : undefined),
      allowedHosts: [],
      allowedOrigins: [],
      connections: 1,
      messageBytes: 1_000,
      messagesPerSecond: 1_000,
      ...systemMachine,
      connect: () => new Promise((resolve) => void (found = resolve)),
      onRefused: (why) => assert.fail(why),
      onFailed: (thrown) => assert.fail(String(thrown)),
    });
    const client = new WebSocket(`ws://127.0.0.1:${server.port}/?tkn=${encodeURIComponent('a token of this test')}`);
    await once(client, 'open');
    await until('the host is being found', () => found !== undefined);
    const closed = server.close();
    await once(client, 'close');
    await closed;
    for (let n = 0; n < 20; n += 1) await new Promise((resolve) => void setImmediate(resolve));
    found?.(near);
    await until('the connection to the host is closed', () => near.destroyed, 5_000);
  });
});
