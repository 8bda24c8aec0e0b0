import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { LookupAll } from '../../../../sidecar/gateway/backends/net/guard.ts';
import { checkHealth, healthLimitMs, lateWords } from '../../../../sidecar/gateway/backends/net/health.ts';
import { type BackendTarget, openPool, type Pool } from '../../../../sidecar/gateway/backends/net/pool.ts';
import { readBody } from '../../../../sidecar/gateway/backends/net/readBody.ts';
import { smallFetch } from '../../../../sidecar/gateway/backends/net/smallFetch.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../sidecar/platform/timers.ts';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

describe('the pool of connections to backends', () => {
  let echo: EchoBackend;
  let pool: Pool;
  let clock: SetClock;
  let names: Record<string, string[]>;
  let lookups: string[];
  const resolve: LookupAll = (name, done) => {
    lookups.push(name);
    const found = (names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    done(null, found);
  };
  const target: BackendTarget = { id: 'b', name: 'alpha', allowPrivate: true };
  const { signal } = new AbortController();

  beforeEach(async () => {
    [echo, clock, names, lookups] = [await startEchoBackend(), new SetClock(), {}, []];
    pool = openPool({ clock, timers: systemTimers, lookup: resolve });
  });
  afterEach(async () => {
    await pool.close();
    await echo.close();
  });

  const get = (url: string, to = target, more: AbortSignal = signal) =>
    pool.request(to, { method: 'GET', url, headers: {} }, more);
  const textOf = async (url: string, to = target) => readBody((await get(url, to)).body, 1_000);
  const portOf = () => new URL(echo.url).port;
  const isRefused = (thrown: unknown) => thrown instanceof Fault && thrown.code === 'forbidden';

  describe('leads nowhere but to what was registered (SSRF)', () => {
    verifies('security.ssrf');
    const closed = { ...target, id: 'closed', allowPrivate: false };

    it('a name that resolves to loopback is refused without the permission, and nothing is sent', async () => {
      names['rebind.example'] = ['127.0.0.1'];
      await assert.rejects(get(`http://rebind.example:${portOf()}/`, closed), isRefused);
      assert.equal(echo.heard.length, 0);
      assert.equal(await textOf(`http://rebind.example:${portOf()}/`), '{}');
    });

    it('a name that resolves to metadata or carried forms of it is refused, with the permission too', async () => {
      for (const address of [
        '169.254.169.254',
        '::ffff:169.254.169.254',
        '64:ff9b::a9fe:a9fe',
        '0.0.0.0',
        'fd00:ec2::254',
      ]) {
        names['meta.example'] = [address];
        await assert.rejects(get('http://meta.example/'), isRefused, address);
      }
    });

    it('of a mixed answer only the allowed addresses are used, and each connection resolves once', async () => {
      names['mixed.example'] = ['169.254.169.254', '127.0.0.1'];
      assert.equal(await textOf(`http://mixed.example:${portOf()}/`), '{}');
      assert.deepEqual(lookups, ['mixed.example']);
    });

    it('a second answer of the resolver changes nothing: the socket goes to the address that was judged', async () => {
      const answers = [['127.0.0.1'], ['169.254.169.254']];
      const flipping = openPool({
        clock,
        timers: systemTimers,
        lookup: (_, done) =>
          done(
            null,
            (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
          ),
      });
      const request = { method: 'GET', url: `http://flip.example:${portOf()}/`, headers: {} };
      const { status, body } = await flipping.request(target, request, signal);
      await readBody(body, 100);
      assert.equal(status, 200);
      await flipping.close();
    });

    it('literal addresses are judged without a resolver', async () => {
      for (const url of [`${echo.url}/`, `http://2130706433:${portOf()}/`, `http://[::ffff:7f00:1]:${portOf()}/`]) {
        await assert.rejects(get(url, closed), isRefused, url);
      }
      await assert.rejects(get('http://169.254.169.254/latest/meta-data'), isRefused);
      assert.deepEqual([lookups, echo.heard.length], [[], 0]);
    });

    for (const status of [301, 302, 303, 307, 308]) {
      it(`a redirect ${status} to a metadata address is an answer and is not followed`, async () => {
        const location = 'http://169.254.169.254/latest/meta-data/';
        echo.answer = (_, response) => void response.writeHead(status, { location }).end();
        const answer = await get(`${echo.url}/`);
        await readBody(answer.body, 100);
        assert.deepEqual([answer.status, answer.headers['location'], echo.heard.length], [status, location, 1]);
      });
    }

    it('a small fetch reads no more than its limit, and its error names no address', async () => {
      echo.answer = (_, response) => void response.end('x'.repeat(300_000));
      await assert.rejects(smallFetch(pool, target, systemTimers)({ method: 'GET', url: echo.url }), {
        code: 'unavailable',
      });
      await echo.close();
      await assert.rejects(
        smallFetch(pool, target, systemTimers)({ method: 'GET', url: echo.url }),
        (it) => it instanceof Fault && it.code === 'unavailable' && !it.message.includes('127.0.0.1'),
      );
    });
  });

  it('answers with the stream as it comes, and aborting ends it at the backend', async () => {
    let open: ServerResponse | undefined;
    echo.answer = (_, response) => {
      open = response;
      response.write('first');
    };
    const caller = new AbortController();
    const { body } = await get(`${echo.url}/`, target, caller.signal);
    const reader = body[Symbol.asyncIterator]();
    assert.equal(String((await reader.next()).value), 'first');
    const ended = once(open as ServerResponse, 'close');
    caller.abort(new Error('left'));
    await ended;
    await assert.rejects(reader.next());
  });

  it('lives on when an answer is left in the middle', async () => {
    echo.answer = (_, response) => void response.write('first');
    (await get(`${echo.url}/`)).body.destroy();
    echo.answer = (_, response) => void response.end('second');
    assert.equal(await textOf(`${echo.url}/`), 'second');
  });

  it('keeps a stream of events off the sockets of calls', async () => {
    const one = { ...target, connections: 1 };
    echo.answer = (heard, response) =>
      void (heard.method === 'GET' ? response.write(': hello\n\n') : response.end('{}'));
    const headers = { accept: 'text/event-stream' };
    const events = await pool.request(one, { method: 'GET', url: echo.url, headers }, signal);
    const answer = await pool.request(one, { method: 'POST', url: echo.url, headers: {}, body: '{}' }, signal);
    assert.equal(await readBody(answer.body, 10), '{}');
    events.body.destroy();
  });

  it('has a socket for every stream that stays open, however few calls may have', async () => {
    const one = { ...target, connections: 1 };
    echo.answer = (_, response) => void response.write(': hello\n\n');
    const ask = { method: 'POST', url: echo.url, headers: {}, body: '{}', isLongLived: true } as const;
    const open = [];
    while (open.length < 3) open.push(await pool.request(one, ask, signal));
    assert.equal(echo.heard.length, 3);
    for (const it of open) it.body.destroy();
  });

  it('sends a flowing body as it comes', async () => {
    const flow = async function* () {
      yield Buffer.from('a');
      yield Buffer.from('b');
    };
    const { body } = await pool.request(target, { method: 'POST', url: echo.url, headers: {}, body: flow() }, signal);
    await readBody(body, 10);
    assert.equal(String(echo.heard[0]?.body), 'ab');
  });

  describe('with max_concurrent_requests', () => {
    const narrow = { ...target, maxConcurrent: 2 };

    it('lets so many through at a time, and the next when an answer was read or left', async () => {
      const open: ServerResponse[] = [];
      echo.answer = (_, response) => {
        open.push(response);
        response.write('x');
      };
      const first = await get(echo.url, narrow);
      const second = await get(echo.url, narrow);
      const third = get(echo.url, narrow);
      assert.deepEqual([pool.inFlight('b'), open.length], [2, 2]);
      first.body.destroy();
      const { body } = await third;
      assert.deepEqual([pool.inFlight('b'), open.length], [2, 3]);
      second.body.destroy();
      body.destroy();
      await until('both slots are free', () => pool.inFlight('b') === 0);
    });

    it('gives the place in line back when its caller leaves', async () => {
      echo.answer = (_, response) => void response.write('x');
      const held = [await get(echo.url, narrow), await get(echo.url, narrow)];
      const caller = new AbortController();
      const waiting = get(echo.url, narrow, caller.signal);
      caller.abort(new Error('left'));
      await assert.rejects(waiting, /left/);
      for (const { body } of held) body.destroy();
      await until('both slots are free', () => pool.inFlight('b') === 0);
    });

    it('gives the slot back when the backend cannot be reached', async () => {
      await echo.close();
      await assert.rejects(get(echo.url, narrow));
      assert.equal(pool.inFlight('b'), 0);
    });
  });

  it('stops trying a backend that cannot be reached, says so at once, and tries again later', async () => {
    const { url } = echo;
    await echo.close();
    for (let n = 0; n < 5; n += 1) await assert.rejects(get(url), { code: 'ECONNREFUSED' });
    await assert.rejects(get(url), { code: 'unavailable' });
    assert.equal(pool.isReachable('b'), false);
    clock.pass(1_000);
    await assert.rejects(get(url), { code: 'ECONNREFUSED' });
  });

  it('does not count callers that leave before the answer as failures of the backend', async () => {
    echo.answer = () => undefined;
    for (let n = 0; n < 8; n += 1) {
      const caller = new AbortController();
      const asked = get(echo.url, target, caller.signal);
      await until('the request is there', () => echo.heard.length === n + 1);
      caller.abort(new Error('left'));
      await assert.rejects(asked, /left/);
    }
    assert.equal(pool.isReachable('b'), true);
  });

  it('knows a backend by its registration: a changed one gets new sockets, under its new rules', async () => {
    assert.equal(await textOf(echo.url), '{}');
    names['b.example'] = ['127.0.0.1'];
    const url = `http://b.example:${portOf()}/`;
    assert.equal(await textOf(url), '{}');
    await assert.rejects(get(url, { ...target, allowPrivate: false }), isRefused);
    await pool.forget('b');
    assert.equal(await textOf(url), '{}');
  });

  describe('tells the health of a backend', () => {
    const health = (url: string, to = target) => checkHealth(pool, to, url, signal, systemTimers);

    it('healthy for an answer below 500 that leads nowhere else, also one that never ends', async () => {
      echo.answer = (_, response) => void response.writeHead(401).write('x');
      assert.deepEqual(await health(echo.url), { status: 'healthy' });
    });

    it('unhealthy for one that leads elsewhere, which is not followed', async () => {
      verifies('gateway.health.handshake');
      echo.answer = (_, response) => void response.writeHead(307, { location: '/canary' }).end();
      assert.deepEqual(await health(echo.url), {
        status: 'unhealthy',
        error: 'The server returned HTTP 307, a redirect. Register the URL that it redirects to.',
      });
      assert.equal(echo.heard.filter((it) => it.path.includes('canary')).length, 0);
    });

    it('unhealthy for one that does not answer before its time is over', async () => {
      const late = new AbortController();
      const limits: number[] = [];
      const timers = {
        deadline(delayMs: number) {
          limits.push(delayMs);
          return late.signal;
        },
      };
      echo.answer = () => late.abort(new DOMException('late', 'TimeoutError'));
      const found = await checkHealth(pool, target, echo.url, signal, timers);
      assert.deepEqual([found, limits], [{ status: 'unhealthy', error: lateWords }, [healthLimitMs]]);
    });

    it('unhealthy for 5xx, a closed port and a forbidden address, without naming any address', async () => {
      echo.answer = (_, response) => void response.writeHead(503).end('canary at 10.0.0.1');
      assert.deepEqual(await health(echo.url), {
        status: 'unhealthy',
        error: 'The server returned HTTP 503. See its log for the reason.',
      });
      await echo.close();
      assert.deepEqual(await health(echo.url), {
        status: 'unhealthy',
        error: 'The connection was refused. Start the server, or correct the URL. (ECONNREFUSED)',
      });
      const forbidden = await health('http://169.254.169.254/');
      assert.equal(forbidden.status, 'unhealthy');
      assert.doesNotMatch(forbidden.error ?? '', /169\.254/);
    });
  });
});
