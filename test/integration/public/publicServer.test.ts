import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { PublicServer } from '../../../src/sidecar/publicServer.ts';
import { connectPublic } from '../../support/host/publicPlace.ts';
import { freePort } from '../../support/network/freePort.ts';
import { builtSidecar, openSidecarPlace, type SidecarPlace } from '../../support/sidecar.ts';
import { until } from '../../support/until.ts';

describe('the server for other programs that a window starts', () => {
  let place: SidecarPlace;
  let servers: PublicServer[];
  beforeEach(() => {
    place = openSidecarPlace();
    servers = [];
  });
  afterEach(async () => {
    for (const it of servers) it.close();
    await place.close();
  });

  function newServer(window: object = {}): PublicServer {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, XDG_RUNTIME_DIR: join(place.dataDir, '..') };
    const deps = { modulePath: builtSidecar, dataDir: place.dataDir, env, window: () => window };
    const server = new PublicServer(deps);
    servers.push(server);
    return server;
  }

  it('is reached by its address and its token, with the agents of the window, and by one address for all windows', async () => {
    const agents = [{ id: 'own', displayName: 'Own Agent', command: 'own-agent' }];
    const rules = [{ id: 'user:deny:shell:rm', source: 'user', effect: 'deny', target: 'shell', pattern: 'rm' }];
    const port = await freePort();
    const { url, token } = await newServer({ agents, rules }).open(port);
    assert.equal(url, `ws://127.0.0.1:${port}`);
    assert.equal(statSync(join(place.dataDir, 'public-token')).mode & 0o777, 0o600);
    const { peer } = await connectPublic(`${url}/?tkn=${token}`);
    await peer.initialize('ui');
    await peer.until(() => JSON.stringify(peer.heard).includes('"provider":"own"'));
    assert.deepEqual(await newServer().open(port), { url, token });
    await assert.rejects(connectPublic(`${url}/?tkn=wrong`), /401/);
  });

  it('says why it cannot serve', async () => {
    const taken = createServer((socket) => socket.end('something else\r\n\r\n'));
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await assert.rejects(newServer().open(port), /Switchboard cannot listen on 127\.0\.0\.1:\d+: /);
    taken.close();
    await assert.rejects(newServer({ agents: 'none' }).open(port), /The window settings in .* cannot be used: agents/);
  });

  it('moves to another port, and ends with its window', async () => {
    const server = newServer();
    const first = await freePort();
    await server.open(first);
    const { url, token } = await server.open(await freePort());
    const { closed } = await connectPublic(`${url}/?tkn=${token}`);
    await until('nobody serves at the first port', async () => {
      const { socket } = await connectPublic(`ws://127.0.0.1:${first}/?tkn=${token}`).catch(() => ({
        socket: undefined,
      }));
      socket?.terminate();
      return socket === undefined;
    });
    server.close();
    assert.equal(await closed, 1001);
  });
});
