import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, it } from 'mocha';
import { openWaitingRoom } from '../../../../../sidecar/gateway/http/waitingRoom.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';

describe('a gateway whose database does not answer yet', () => {
  it('says so to everybody, and to those who watch it in their words', async () => {
    const room = await openWaitingRoom({ host: '127.0.0.1', port: 0 }, '1.2.3', systemTimers);
    try {
      const at = `http://127.0.0.1:${room.port}`;
      const health = await fetch(`${at}/healthz`);
      assert.deepEqual(
        [health.status, health.headers.get('cache-control'), await health.json()],
        [503, 'no-store', { status: 'no_db_connection', version: '1.2.3' }],
      );
      for (const [method, path] of [
        ['POST', '/mcp'],
        ['GET', '/'],
        ['POST', '/healthz'],
      ] as const) {
        const refused = await fetch(`${at}${path}`, { method });
        assert.equal(refused.status, 503, path);
        assert.equal(refused.headers.get('retry-after'), '1', path);
        assert.match(await refused.text(), /database is not responding yet/);
      }
    } finally {
      await room.close(0);
    }
  });
  it('says where its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    try {
      const { port } = taken.address() as AddressInfo;
      const words = await outcomeOf(openWaitingRoom({ host: '127.0.0.1', port }, '1', systemTimers));
      assert.match(words, new RegExp(`^\\w+ .*${port}`));
    } finally {
      taken.close();
    }
  });
});
