import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, it } from 'mocha';
import { relayStream } from '../../../../../sidecar/gateway/a2a/stream.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';

const comment = ': keepalive\n\n';
const keepAliveMs = 15_000;

function open(body: Readable) {
  const ends: string[] = [];
  let seen = 0;
  async function* events() {
    for await (const it of body) {
      seen += 1;
      yield String(it);
    }
  }
  const stream = relayStream(body, events(), {
    keepAliveMs,
    timers: systemTimers,
    onEnd: (how) => void ends.push(how),
    brokenEvent: (cause) =>
      `data: ${JSON.stringify({ broken: cause instanceof Error && cause.message === 'reset' })}\n\n`,
  });
  const reader = stream.getReader();
  const read = async () => {
    const { value, done } = await reader.read();
    return done ? undefined : Buffer.from(value).toString();
  };
  return { reader, read, ends, seen: () => seen };
}

describe('a stream on its way to the caller', () => {
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

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
    assert.ok(asked <= 3 && seen() === 1, `asked ${asked} times after the first read`);
    await reader.cancel();
  });

  it('ends once: whole, broken or left, and its timer with it', async () => {
    const [began, cleared] = [mock.method(globalThis, 'setInterval'), mock.method(globalThis, 'clearInterval')];
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
    const waiting = left.read();
    await left.reader.cancel();
    await left.reader.cancel();
    assert.equal(await waiting, undefined);
    await turn();
    assert.deepEqual([whole.ends, broken.ends, left.ends], [['whole'], ['broken'], ['left']]);
    assert.equal(body.destroyed, true);
    const timers = began.mock.calls.map((it) => it.result);
    assert.equal(timers.length, 3);
    assert.deepEqual(
      cleared.mock.calls.map((it) => it.arguments[0]),
      timers,
    );
  });
});
