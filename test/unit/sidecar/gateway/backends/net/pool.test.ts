import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { wholeText } from '../../../../../../sidecar/gateway/backends/net/answerBody.ts';
import { type BackendTarget, openPool, type Pool } from '../../../../../../sidecar/gateway/backends/net/pool.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';
import { StandingClock } from '../../../../../support/gateway/clock.ts';
import { outcomeOf } from '../../../../../support/outcomeOf.ts';
import { until } from '../../../../../support/until.ts';

describe('requests to a backend', () => {
  let server: Server;
  let url: string;
  let pool: Pool;
  let heard: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly socket: object }[];
  beforeEach(async () => {
    heard = [];
    server = createServer((request, response) => void heard.push({ request, response, socket: request.socket }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/at`;
    pool = openPool({ clock: new StandingClock('2026-01-01T00:00:00Z'), timers: systemTimers });
  });
  afterEach(async () => {
    await pool.close();
    server.closeAllConnections();
    server.close();
  });
  const target = (more: Partial<BackendTarget> = {}): BackendTarget =>
    ({ id: 'b', name: 'B', allowPrivate: true, ...more }) as BackendTarget;
  const still = new AbortController().signal;
  const ask = (more: Partial<BackendTarget> = {}, signal: AbortSignal = still, headers: Record<string, string> = {}) =>
    pool.request(target(more), { method: 'GET', url, headers }, signal);
  const came = (count: number) => until(`${count} came`, () => heard.length === count);

  it('wait for one another where the backend takes so many, until an answer was read', async () => {
    const one = ask({ maxConcurrent: 1 });
    const two = ask({ maxConcurrent: 1 });
    await came(1);
    heard[0]?.response.end('first');
    const answer = await one;
    assert.deepEqual([heard.length, pool.inFlight('b')], [1, 1]);
    assert.equal(await wholeText(answer.body, 100), 'first');
    await came(2);
    heard[1]?.response.end('second');
    (await two).body.destroy();
    await until('its slot is free', () => pool.inFlight('b') === 0);
  });
  it('that fail or are taken back hold no slot', async () => {
    const leaving = new AbortController();
    const gone = ask({ maxConcurrent: 1 }, leaving.signal);
    await came(1);
    leaving.abort(new Error('the caller left'));
    await assert.rejects(gone, /the caller left/);
    assert.equal(pool.inFlight('b'), 0);
    const failing = ask({ maxConcurrent: 1 });
    await came(2);
    heard[1]?.response.destroy();
    await assert.rejects(failing);
    assert.equal(pool.inFlight('b'), 0);
  });
  it('end in the midst of their answer when their caller leaves', async () => {
    const leaving = new AbortController();
    const asking = ask({}, leaving.signal);
    await came(1);
    heard[0]?.response.write('a part');
    const { body } = await asking;
    const closed = once(heard[0]!.response, 'close');
    leaving.abort(new Error('the caller left'));
    await closed;
    await assert.rejects(wholeText(body, 100), /the caller left/);
  });
  it('find it unreachable after it failed several times, and not because callers left', async () => {
    for (let n = 1; n <= 10; n += 1) {
      const leaving = new AbortController();
      const gone = ask({}, leaving.signal);
      await came(n);
      leaving.abort(new Error('left'));
      await assert.rejects(gone);
    }
    assert.equal(pool.isReachable('b'), true);
    server.closeAllConnections();
    server.close();
    let words = '';
    for (let n = 0; n < 20 && !words.startsWith('unavailable'); n += 1)
      words = await outcomeOf(ask()).catch(() => 'failed');
    assert.equal(words, "unavailable 'B' cannot be reached. The gateway will retry soon.");
    assert.deepEqual([pool.isReachable('b'), pool.isReachable('unknown')], [false, true]);
    await pool.forget('b');
    assert.equal(pool.isReachable('b'), true);
  });
  it('go over one socket one after the other, and streams over others', async () => {
    const sockets: unknown[] = [];
    for (const headers of [{}, {}, { accept: 'text/event-stream' }]) {
      const asking = ask({ connections: 1 }, still, headers);
      await came(sockets.length + 1);
      sockets.push(heard.at(-1)?.socket);
      if ('accept' in headers) {
        heard.at(-1)?.response.write(': open\n\n');
        (await asking).body.destroy();
      } else {
        heard.at(-1)?.response.end('x');
        await wholeText((await asking).body, 10);
      }
    }
    assert.equal(sockets[0], sockets[1]);
    assert.notEqual(sockets[0], sockets[2]);
  });
  it('begin anew where the registration changed, and those under way go on', async () => {
    const before = ask({ version: 1 });
    await came(1);
    const after = ask({ version: 2 });
    await came(2);
    assert.notEqual(heard[0]?.socket, heard[1]?.socket);
    for (const it of heard) it.response.end('whole');
    for (const it of [before, after]) assert.equal(await wholeText((await it).body, 10), 'whole');
    const isOpen = (at: number) => heard[at]?.request.socket.destroyed === false;
    await until('the socket of before is closed', () => !isOpen(0));
    assert.equal(isOpen(1), true);
  });
  it('to an address that the backend may not lead to are refused, whatever was asked before', async () => {
    const first = ask();
    await came(1);
    heard[0]?.response.end();
    (await first).body.destroy();
    assert.match(await outcomeOf(ask({ allowPrivate: false })), /^forbidden /);
    assert.equal(heard.length, 1);
  });
});
