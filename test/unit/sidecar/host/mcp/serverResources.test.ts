import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { RunningServer } from '../../../../../sidecar/host/mcp/runningServer.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { later } from '../../../../support/later.ts';

describe('the resource for which a server of a session wants a token', () => {
  let listener: Server;
  let url: string;
  let beforeMetadata: () => Promise<unknown>;
  beforeEach(async () => {
    beforeMetadata = async () => undefined;
    listener = createServer((request, response) => {
      request.resume();
      const isCall = request.method === 'POST';
      const answer = () => response.writeHead(isCall ? 401 : 404, { 'www-authenticate': 'Bearer' }).end();
      void (isCall ? Promise.resolve() : beforeMetadata()).then(answer);
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
  });
  afterEach(() => {
    listener.closeAllConnections();
    listener.close();
  });

  it('is one that clients may push tokens for until it stops, and again once it is started anew', async () => {
    const { server, advertised, states } = open();
    for (let times = 0; times < 2; times += 1) {
      server.define({ name: 'mine', raw: { url } }, {});
      server.start();
      await server.settled;
      assert.deepEqual([advertised, server.asksFor(url)], [[url], true]);
      server.start();
      await server.settled;
      assert.deepEqual(advertised, [url], 'once, however often it asks');
      await server.stop();
      assert.deepEqual([advertised, server.asksFor(url)], [[], false]);
    }
    assert.deepEqual(states.slice(0, 2), ['starting', 'authRequired']);
  });

  it('is asked about for nobody where the server is stopped meanwhile', async () => {
    const [asked, answer] = [later<void>(), later<void>()];
    beforeMetadata = () => {
      asked.resolve();
      return answer.promise;
    };
    const { server, advertised, states } = open();
    server.define({ name: 'mine', raw: { url } }, {});
    server.start();
    await asked.promise;
    await server.stop();
    answer.resolve();
    await server.settled;
    assert.deepEqual([states, advertised, server.asksFor(url)], [['starting', 'stopped'], [], false]);
  });

  function open() {
    const advertised: string[] = [];
    const states: string[] = [];
    const server = new RunningServer({
      name: 'mine',
      session: 's',
      timers: systemTimers,
      children: { spawn: () => assert.fail('it is no program') },
      token: () => undefined,
      advertise: ({ resource }) => {
        advertised.push(resource);
        return () => void advertised.splice(advertised.indexOf(resource), 1);
      },
      hide: () => undefined,
      report: (thrown) => assert.fail(String(thrown)),
      moved: ({ kind }) => void states.push(kind),
      toolsChanged: () => undefined,
    });
    return { server, advertised, states };
  }
});
