import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { type AddressInfo, createServer as createPipe } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { handingOver } from '../../../../../../sidecar/gateway/cluster/workers/handOver.ts';
import { EarlierHeaders } from '../../../../../../sidecar/gateway/http/earlierHeaders.ts';
import { IncomingRequest } from '../../../../../../sidecar/gateway/http/incomingRequest.ts';

describe('a request that a worker hands over', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  for (const body of [undefined, '{}'])
    it(`${body === undefined ? 'unread' : 'read'}, does not reach the owner if its caller has left`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-pipe-'));
      const pipe = process.platform === 'win32' ? `\\\\.\\pipe\\${folder}` : join(folder, 'pipe');
      let reached = 0;
      const owner = createPipe((socket) => {
        reached += 1;
        socket.destroy();
      }).listen(pipe);
      const handOver = handingOver(pipe, () => false);
      const over = Promise.withResolvers<void>();
      const worker = createServer((incoming, outgoing) => {
        const request = new IncomingRequest(incoming, outgoing, new EarlierHeaders());
        outgoing.once('close', () =>
          setImmediate(() => void handOver(request, outgoing, body).then(over.resolve, over.reject)),
        );
        asked.destroy();
      }).listen(0);
      ends.push(() => {
        worker.close();
        worker.closeAllConnections();
        owner.close();
        rmSync(folder, { recursive: true, force: true });
      });
      await once(worker, 'listening');
      const asked = ask({ port: (worker.address() as AddressInfo).port, method: 'POST' });
      asked.on('error', () => undefined).end('{}');
      await over.promise;
      assert.equal(reached, 0);
    });
});
