import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type BackendTarget, openPool, type Pool } from '../../../../../../../sidecar/gateway/backends/net/pool.ts';
import { readBody } from '../../../../../../../sidecar/gateway/backends/net/readBody.ts';
import { systemTimers } from '../../../../../../../sidecar/platform/timers.ts';
import { SetClock } from '../../../../../../support/backends/setClock.ts';
import { until } from '../../../../../../support/until.ts';
import { verifies } from '../../../../../../support/verifies.ts';

/** A connection to the server, and the text that it received. */
interface Taken {
  readonly socket: Socket;
  heard: string;
  isClosed: boolean;
}

describe('the connections that calls to a backend share', () => {
  let server: Server;
  let taken: Taken[];
  let pool: Pool;
  let clock: SetClock;
  let url: string;

  beforeEach(async () => {
    taken = [];
    server = createServer((socket) => {
      const it: Taken = { socket, heard: '', isClosed: false };
      taken.push(it);
      socket.on('data', (bytes) => (it.heard += bytes.toString('latin1')));
      socket.on('error', () => undefined).on('close', () => (it.isClosed = true));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    clock = new SetClock();
    pool = openPool({ clock, timers: systemTimers });
  });
  afterEach(async () => {
    await pool.close();
    for (const { socket } of taken) socket.destroy();
    server.close();
  });

  const target = (more: Partial<BackendTarget> = {}): BackendTarget => ({
    id: 'b',
    name: 'B',
    allowPrivate: true,
    ...more,
  });
  const still = new AbortController().signal;
  const post = (body: string, more: Partial<BackendTarget> = {}, signal = still) =>
    pool.request(target(more), { method: 'POST', url, headers: { 'x-one': '1' }, body }, signal);
  const textOf = async (answer: ReturnType<typeof post>) => readBody((await answer).body, 1_000_000);
  const heard = (at: number, body: string) =>
    until(`connection ${at} received ${body}`, () => taken[at]?.heard.endsWith(body) === true);
  const closed = (at: number) => until(`connection ${at} is closed`, () => taken[at]?.isClosed === true);
  const counted = (body: string, more = '') =>
    `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`;
  const answer = (at: number, written: string) => void taken[at]!.socket.write(written, 'latin1');
  /** One call on the first connection, which is idle afterwards. */
  const callOnce = async (more = '') => {
    const asking = post('first');
    await heard(0, 'first');
    answer(0, counted('one', more));
    assert.equal(await textOf(asking), 'one');
  };

  it('carry one call after another, each unchanged', async () => {
    await callOnce();
    const asking = post('é');
    await heard(0, Buffer.from('é').toString('latin1'));
    answer(0, counted('two'));
    assert.equal(await textOf(asking), 'two');
    const { host } = new URL(url);
    const head = (length: number) =>
      `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\nx-one: 1\r\ncontent-length: ${length}\r\n\r\n`;
    assert.equal(taken[0]?.heard, `${head(5)}first${head(2)}${Buffer.from('é').toString('latin1')}`);
    assert.equal(taken.length, 1);
  });

  it('never exceed the limit, and further calls wait for one', async () => {
    const all = ['a', 'b', 'c'].map((it) => textOf(post(it, { connections: 1 })));
    for (const [at, it] of ['a', 'b', 'c'].entries()) {
      await heard(0, it);
      answer(0, counted(`${at}`));
    }
    assert.deepEqual(await Promise.all(all), ['0', '1', '2']);
    assert.equal(taken.length, 1);
  });

  it('do not carry a call whose caller disconnected while it waited', async () => {
    const first = post('first', { connections: 1 });
    await heard(0, 'first');
    const leaving = new AbortController();
    const left = post('second', { connections: 1 }, leaving.signal);
    const third = post('third', { connections: 1 });
    leaving.abort(new Error('the caller left'));
    await assert.rejects(left, /the caller left/);
    answer(0, counted('one'));
    await heard(0, 'third');
    answer(0, counted('three'));
    assert.deepEqual([await textOf(first), await textOf(third)], ['one', 'three']);
    assert.doesNotMatch(taken[0]!.heard, /second/);
    assert.equal(taken.length, 1);
  });

  it('are closed when a caller disconnects before the answer is complete', async () => {
    const leaving = new AbortController();
    const asking = post('first', {}, leaving.signal);
    await heard(0, 'first');
    answer(0, 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
    const { body } = await asking;
    leaving.abort(new Error('the caller left'));
    await assert.rejects(readBody(body, 100), /the caller left/);
    await closed(0);
  });

  it('are not used again when an answer is discarded while its last bytes arrive', async () => {
    const asking = post('first');
    await heard(0, 'first');
    answer(0, 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
    const { body } = await asking;
    const reading = readBody(body, 2);
    answer(0, 'long');
    await assert.rejects(reading, /more than 2 bytes/);
    await closed(0);
    const again = post('second');
    await heard(1, 'second');
    answer(1, counted('two'));
    assert.equal(await textOf(again), 'two');
  });

  it('fail every waiting call if none can be opened', async () => {
    await once(server.close(), 'close');
    const all = await Promise.allSettled(['a', 'b', 'c'].map((it) => post(it, { connections: 1 })));
    assert.deepEqual(
      all.map((it) => it.status === 'rejected' && (it.reason as NodeJS.ErrnoException).code),
      ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'],
    );
  });

  it('are not opened for a call that waited until the pool was closed', async () => {
    const first = post('first', { maxConcurrent: 1 });
    const second = post('second', { maxConcurrent: 1 });
    await heard(0, 'first');
    const both = Promise.allSettled([first, second]);
    await pool.close();
    assert.deepEqual(
      (await both).map((it) => it.status === 'rejected' && (it.reason as NodeJS.ErrnoException).code),
      ['UND_ERR_SOCKET', 'UND_ERR_DESTROYED'],
    );
  });

  describe('give the bytes of one answer to no other call (answer desynchronization)', () => {
    verifies('security.answer-desync');

    it('where the server sends bytes while a connection is idle', async () => {
      await callOnce();
      answer(0, counted('forged'));
      await closed(0);
      const asking = post('second');
      await heard(1, 'second');
      answer(1, counted('two'));
      assert.equal(await textOf(asking), 'two');
    });

    it('where they follow an answer', async () => {
      const asking = post('first');
      await heard(0, 'first');
      answer(0, `${counted('one')}${counted('forged')}`);
      assert.equal(await textOf(asking), 'one');
      await closed(0);
    });

    it('where the server answers before the whole request is sent', async () => {
      const asking = post('x'.repeat(20_000_000));
      await until('the server has a connection', () => taken.length === 1);
      taken[0]!.socket.pause();
      answer(0, counted('early'));
      assert.equal(await textOf(asking), 'early');
      taken[0]!.socket.resume();
      await closed(0);
    });

    it('where the answer is not valid HTTP', async () => {
      const asking = post('first');
      await heard(0, 'first');
      answer(0, 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n');
      await assert.rejects(asking, { code: 'HPE_INVALID' });
      await closed(0);
    });
  });

  for (const [what, written] of [
    ['the server asks to close them', counted('one', 'Connection: close\r\n')],
    ['the answer lasts until they end', 'HTTP/1.1 200 OK\r\n\r\none'],
  ] as const)
    it(`are not used again where ${what}`, async () => {
      const asking = post('first');
      await heard(0, 'first');
      taken[0]!.socket.end(written, 'latin1');
      assert.equal(await textOf(asking), 'one');
      const again = post('second');
      await heard(1, 'second');
      answer(1, counted('two'));
      assert.equal(await textOf(again), 'two');
    });

  for (const [what, more, idleMs] of [
    ['after half a minute', '', 30_000],
    ['before the server closes them', 'Keep-Alive: timeout=5\r\n', 3_000],
  ] as const)
    it(`are not used again ${what}`, async () => {
      await callOnce(more);
      clock.pass(idleMs - 1);
      const soon = post('soon');
      await heard(0, 'soon');
      answer(0, counted('two', more));
      assert.equal(await textOf(soon), 'two');
      clock.pass(idleMs);
      const late = post('late');
      await heard(1, 'late');
      answer(1, counted('three'));
      assert.equal(await textOf(late), 'three');
      await closed(0);
    });

  it('report to a call that the server closed one before its answer was complete', async () => {
    const asking = post('first');
    await heard(0, 'first');
    taken[0]!.socket.destroy();
    await assert.rejects(asking, { code: 'UND_ERR_SOCKET' });
    const half = post('second');
    await heard(1, 'second');
    taken[1]!.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'latin1');
    await assert.rejects(textOf(half), { code: 'UND_ERR_SOCKET' });
  });

  it('are read no faster than the caller reads the answer', async () => {
    const asking = post('first');
    await heard(0, 'first');
    const size = 50_000_000;
    const { socket } = taken[0]!;
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size));
    const { body } = await asking;
    await new Promise((resolve) => void setImmediate(resolve));
    assert.ok(socket.writableLength > 0, 'the rest waits at the server');
    let read = 0;
    for await (const it of body) read += it.byteLength;
    assert.equal(read, size);
    const again = post('second');
    await heard(0, 'second');
    answer(0, counted('two'));
    assert.equal(await textOf(again), 'two');
  });

  it('carry another call as soon as an answer has arrived, even before the caller has read it', async () => {
    const asking = post('first', { connections: 1 });
    await heard(0, 'first');
    answer(0, counted('x'.repeat(70_000)));
    const { body } = await asking;
    const again = post('second', { connections: 1 });
    await heard(0, 'second');
    answer(0, counted('two'));
    assert.equal(await textOf(again), 'two');
    assert.equal((await readBody(body, 100_000)).length, 70_000);
  });

  it('are closed when the backend is removed and their calls have ended', async () => {
    const asking = post('first');
    await heard(0, 'first');
    const forgotten = pool.forget('b');
    answer(0, counted('one'));
    assert.equal(await textOf(asking), 'one');
    await forgotten;
    await closed(0);
  });

  describe('for streams', () => {
    const events = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
    const stream = (body: string, more: Partial<BackendTarget> = {}, signal = still) =>
      pool.request(target(more), { method: 'POST', url, headers: {}, body, isLongLived: true }, signal);

    it('carry one stream each, even if calls may use only one connection', async () => {
      const open = ['a', 'b', 'c'].map((it) => stream(it, { connections: 1 }));
      await until('three connections are open', () => taken.length === 3);
      for (const at of taken.keys()) answer(at, `${events}\r\nhello`);
      for (const { body } of await Promise.all(open)) body.destroy();
      for (const at of taken.keys()) await closed(at);
    });

    for (const [what, whole] of [
      ['chunked', `${events}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
      ['counted', `${events}content-length: 5\r\n\r\nhello`],
      ['an error instead of a stream', counted('hello', 'content-type: application/json\r\n')],
    ] as const)
      it(`carry another one when an answer has ended: ${what}`, async () => {
        for (const body of ['first', 'second']) {
          const asking = stream(body);
          await heard(0, body);
          answer(0, whole);
          assert.equal(await textOf(asking), 'hello');
        }
        assert.equal(taken.length, 1);
      });

    it('carry neither calls nor other streams while their stream is open', async () => {
      const first = stream('first');
      await heard(0, 'first');
      answer(0, `${events}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`);
      const { body } = await first;
      const second = stream('second');
      await heard(1, 'second');
      const call = post('call');
      await heard(2, 'call');
      for (const at of [1, 2]) answer(at, counted('one'));
      answer(0, '0\r\n\r\n');
      assert.deepEqual([await textOf(second), await textOf(call), await readBody(body, 10)], ['one', 'one', 'hello']);
      assert.equal(taken.length, 3);
    });

    it('are replaced if the server closed them between two streams', async () => {
      const first = stream('first');
      await heard(0, 'first');
      answer(0, counted('one'));
      assert.equal(await textOf(first), 'one');
      taken[0]!.socket.end();
      await closed(0);
      const second = stream('second');
      await heard(1, 'second');
      answer(1, counted('two'));
      assert.equal(await textOf(second), 'two');
      assert.doesNotMatch(taken[0]!.heard, /second/);
    });

    it('are closed when a caller disconnects while the stream is silent', async () => {
      const leaving = new AbortController();
      const asking = stream('first', {}, leaving.signal);
      await heard(0, 'first');
      answer(0, `${events}\r\nhello`);
      const { body } = await asking;
      leaving.abort(new Error('the caller left'));
      await assert.rejects(readBody(body, 100), /the caller left/);
      await closed(0);
    });

    it('report a server that dies during a stream, after the bytes that came before', async () => {
      const asking = stream('first');
      await heard(0, 'first');
      answer(0, `${events}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`);
      const { body } = await asking;
      const seen: string[] = [];
      const reading = (async () => {
        for await (const it of body) {
          seen.push(String(it));
          taken[0]!.socket.destroy();
        }
      })();
      await assert.rejects(reading, { code: 'UND_ERR_SOCKET' });
      assert.deepEqual(seen, ['hello']);
    });
  });
});
