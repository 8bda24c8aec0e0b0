import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, it } from 'mocha';
import { relayStream } from '../../../../../sidecar/gateway/a2a/stream.ts';

const comment = ': keepalive\n\n';
const keepAliveMs = 15_000;

function open(body: Readable) {
  const ends: string[] = [];
  const seen: Uint8Array[] = [];
  const stream = relayStream(body, {
    keepAliveMs,
    onBytes: (bytes) => void seen.push(bytes),
    onEnd: (how) => void ends.push(how),
    brokenEvent: '{"broken":true}',
  });
  const reader = stream.getReader();
  const read = async () => {
    const { value, done } = await reader.read();
    return done ? undefined : Buffer.from(value).toString('latin1');
  };
  return { reader, read, ends, seen };
}

describe('a stream on its way to the caller', () => {
  afterEach(() => mock.timers.reset());

  /** A body that is pushed into by the test, and a clock that passes when the test says so. */
  function paused() {
    mock.timers.enable({ apis: ['setInterval'] });
    const body = new Readable({ read: () => undefined });
    return { body, ...open(body), pass: (times: number) => mock.timers.tick(keepAliveMs * times) };
  }

  it('has comments in its pauses, from the beginning on', async () => {
    const { body, read, pass } = paused();
    const first = read();
    pass(2);
    assert.equal(await first, comment);
    body.push('data: 1\n\n');
    assert.equal(await read(), 'data: 1\n\n');
    const third = read();
    pass(2);
    assert.equal(await third, comment);
    body.destroy();
  });

  it('has none while it flows', async () => {
    const { body, read, pass } = paused();
    for (const it of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      body.push(it);
      assert.equal(await read(), it);
      pass(1);
    }
    body.push(null);
    assert.equal(await read(), undefined);
  });

  const unfinished = ['data: 1', 'data: 1\n', 'data: 1\r\n', 'data: 1\n\ndata: 2\n', 'data: 1\r'];
  for (const text of unfinished) {
    it(`has none after ${JSON.stringify(text)}, where an event is not complete`, async () => {
      const { body, read, pass } = paused();
      body.push(text);
      assert.equal(await read(), text);
      const next = read();
      pass(5);
      body.push('\n\n');
      assert.equal(await next, '\n\n');
      body.destroy();
    });
  }

  const finished = ['data: 1\n\n', 'data: 1\r\n\r\n', 'data: 1\r\r', ': hello\n\n', 'data: 1\n\r\n'];
  for (const text of finished) {
    it(`has them after ${JSON.stringify(text)}, in whatever pieces that came`, async () => {
      const { body, read, pass } = paused();
      for (const it of text) {
        body.push(it);
        assert.equal(await read(), it);
      }
      const next = read();
      pass(2);
      assert.equal(await next, comment);
      body.destroy();
    });
  }

  it('gathers no comments for a caller who does not read', async () => {
    const { body, read, pass } = paused();
    await turn();
    pass(100);
    assert.equal(await read(), comment);
    body.push('data: 1\n\n');
    assert.equal(await read(), 'data: 1\n\n');
    body.destroy();
  });

  it('asks the agent for nothing that the caller did not ask for', async () => {
    let asked = 0;
    const body = new Readable({
      highWaterMark: 1,
      read() {
        asked += 1;
        this.push('data: 1\n\n');
      },
    });
    const { reader, read, seen } = open(body);
    for (let n = 0; n < 20; n += 1) await turn();
    assert.ok(asked <= 2, `asked ${asked} times before the first read`);
    await read();
    for (let n = 0; n < 20; n += 1) await turn();
    assert.ok(asked <= 3 && seen.length === 1, `asked ${asked} times after the first read`);
    await reader.cancel();
  });

  it('ends once: whole, broken or left', async () => {
    const whole = open(Readable.from([Buffer.from('data: 1\n\n')]));
    while ((await whole.read()) !== undefined);
    const broken = open(
      new Readable({
        read() {
          this.destroy(new Error('reset'));
        },
      }),
    );
    assert.equal(await broken.read(), 'data: {"broken":true}\n\n');
    assert.equal(await broken.read(), undefined);
    const body = new Readable({ read: () => undefined });
    const left = open(body);
    await left.reader.cancel();
    await left.reader.cancel();
    assert.deepEqual([whole.ends, broken.ends, left.ends], [['whole'], ['broken'], ['left']]);
    assert.equal(body.destroyed, true);
  });

  it('breaks where it broke within an event', async () => {
    const pieces = [Buffer.from('data: {"half')];
    const body = new Readable({
      read() {
        const next = pieces.shift();
        if (next) this.push(next);
        else this.destroy(new Error('secret at 10.0.0.7'));
      },
    });
    const { read, ends } = open(body);
    assert.equal(await read(), 'data: {"half');
    await assert.rejects(read(), (it) => it instanceof Error && !/secret/.test(`${it.message}${String(it.cause)}`));
    assert.deepEqual(ends, ['broken']);
  });

  it('arrives byte for byte, in whatever pieces it came', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 20 }), async (pieces) => {
        const { reader } = open(Readable.from(pieces.map((it) => Buffer.from(it))));
        const got: Uint8Array[] = [];
        for (let next = await reader.read(); !next.done; next = await reader.read()) got.push(next.value);
        assert.deepEqual(Buffer.concat(got), Buffer.concat(pieces));
      }),
    );
  });
});
