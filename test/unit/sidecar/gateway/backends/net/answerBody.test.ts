import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { Dispatcher } from 'undici';
import { AnswerBody, wholeText } from '../../../../../../sidecar/gateway/backends/net/answerBody.ts';

const bytes = (text: string) => Buffer.from(text);

describe('the body of an answer', () => {
  let socket: { paused: boolean; aborted: unknown; pause(): void; resume(): void; abort(thrown: unknown): void };
  let freed: number;
  let body: AnswerBody;
  beforeEach(() => {
    freed = 0;
    socket = {
      paused: false,
      aborted: undefined,
      pause: () => void (socket.paused = true),
      resume: () => void (socket.paused = false),
      abort: (thrown) => void (socket.aborted = thrown),
    };
    body = new AnswerBody(socket as unknown as Dispatcher.DispatchController, () => void (freed += 1));
  });
  const pieces = async () => {
    const all: string[] = [];
    for await (const it of body) all.push(String(it));
    return all;
  };

  it('is read as it came, as a whole or in pieces, and then needs no socket', async () => {
    for (const it of ['one ', 'two']) body.push(bytes(it));
    const text = body.text(100);
    body.push(bytes(' three'));
    body.end();
    assert.deepEqual([await text, freed, socket.aborted], ['one two three', 1, undefined]);
  });
  it('waits in its socket where nobody reads it, and goes on when somebody does', async () => {
    body.push(Buffer.alloc(65_536));
    assert.equal(socket.paused, false);
    body.push(bytes('x'));
    assert.equal(socket.paused, true);
    const read = pieces();
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(socket.paused, false);
    body.end();
    assert.equal((await read).join('').length, 65_537);
  });
  it('that breaks after it was whole is whole', async () => {
    body.push(bytes('all'));
    body.end();
    body.fail(new Error('the socket closed'));
    assert.deepEqual([await pieces(), freed], [['all'], 1]);
  });
  it('that breaks before is what came, and then why', async () => {
    body.push(bytes('a part'));
    body.fail(new Error('the socket closed'));
    body.fail(new Error('again'));
    await assert.rejects(body.text(100), /the socket closed/);
    assert.equal(freed, 1);
  });
  it('beyond its limit ends the answer, and is not kept', async () => {
    body.push(bytes('12345'));
    assert.equal(
      await Promise.race([body.text(5), new Promise((done) => void setImmediate(() => done('waits')))]),
      'waits',
    );
    const other = new AnswerBody(socket as unknown as Dispatcher.DispatchController, () => void (freed += 1));
    other.push(bytes('123456'));
    assert.equal(await other.text(5), undefined);
    assert.ok(socket.aborted instanceof Error);
    other.push(bytes('more'));
    other.destroy();
    assert.equal(freed, 1);
  });
  it('that its reader leaves ends the answer; one that is whole only frees the socket', async () => {
    body.push(bytes('one'));
    for await (const _ of body) break;
    assert.match(String(socket.aborted), /discarded before it was complete/);
    socket.aborted = undefined;
    const whole = new AnswerBody(socket as unknown as Dispatcher.DispatchController, () => void (freed += 1));
    whole.push(bytes('one'));
    whole.end();
    for await (const _ of whole) break;
    assert.deepEqual([socket.aborted, freed], [undefined, 2]);
  });
  describe('that flows', () => {
    let seen: string[];
    let hasRoom: boolean;
    const reader = () => ({
      chunk(it: Uint8Array) {
        seen.push(String(it));
        return hasRoom;
      },
      end: () => void seen.push('<end>'),
      fail: (thrown: unknown) => void seen.push(String(thrown)),
    });
    const arrive = async (...all: readonly string[]) => {
      for (const it of all) body.push(bytes(it));
      await Promise.resolve();
    };
    beforeEach(() => {
      seen = [];
      hasRoom = true;
    });

    it('passes on pieces together that arrived together, and then its end once', async () => {
      body.push(bytes('a'));
      body.push(bytes('b'));
      const resume = body.flow(reader());
      await arrive('c', 'd');
      await arrive('e');
      body.push(bytes('f'));
      body.end();
      resume();
      await arrive();
      assert.deepEqual([seen, freed], [['ab', 'cd', 'e', 'f', '<end>'], 1]);
    });
    it('waits while its reader has no room', async () => {
      const resume = body.flow(reader());
      hasRoom = false;
      await arrive('a', 'b');
      await arrive('c');
      body.end();
      assert.deepEqual(seen, ['ab']);
      hasRoom = true;
      resume();
      assert.deepEqual(seen, ['ab', 'c', '<end>']);
    });
    it('passes on the pieces that arrived before it breaks, and then the error', async () => {
      body.flow(reader());
      body.push(bytes('a'));
      body.fail(new Error('the socket closed'));
      await arrive();
      assert.deepEqual(seen, ['a', 'Error: the socket closed']);
    });
  });
  it('of another kind is read to its limit alike', async () => {
    async function* other() {
      yield bytes('12');
      yield bytes('34');
    }
    assert.deepEqual([await wholeText(other(), 4), await wholeText(other(), 3)], ['1234', undefined]);
  });
});
