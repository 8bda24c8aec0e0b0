import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryPair } from '../support/memoryPair.ts';
import { transportContract } from './transport.ts';

transportContract('memory', async () => memoryPair());

transportContract('a local socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const server = createServer().listen(join(folder, 's'));
  await once(server, 'listening');
  const near = connect(join(folder, 's'));
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  rmSync(folder, { recursive: true });
  return [near, far];
});
