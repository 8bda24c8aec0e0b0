import assert from 'node:assert/strict';
import { AsyncQueue } from '../../../../sidecar/platform/asyncQueue.ts';

async function readAll(queue: AsyncQueue<number>): Promise<readonly number[]> {
  const read: number[] = [];
  for await (const it of queue) read.push(it);
  return read;
}

describe('async queue', () => {
  it('The reader gets what was pushed before and while it reads, in order, and then the end.', async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1, 2);
    const read: number[] = [];
    for await (const it of queue) {
      read.push(it);
      if (it === 2) queue.push(3);
      if (it === 3) queue.end();
    }
    assert.deepEqual(read, [1, 2, 3]);
  });

  it('A reader that waits is woken by a push and by the end.', async () => {
    const queue = new AsyncQueue<number>();
    const reader = queue[Symbol.asyncIterator]();
    const first = reader.next();
    queue.push(1);
    assert.deepEqual(await first, { value: 1, done: false });
    const last = reader.next();
    queue.end();
    assert.deepEqual(await last, { value: undefined, done: true });
  });

  it('What was queued is read before a failure reaches the reader, also one that is `undefined`.', async () => {
    for (const failure of [new Error('it broke'), undefined]) {
      const queue = new AsyncQueue<number>();
      queue.push(1);
      queue.fail(failure);
      const reader = queue[Symbol.asyncIterator]();
      assert.equal((await reader.next()).value, 1);
      await assert.rejects(reader.next(), (thrown) => thrown === failure);
    }
  });

  it('A reader that waits is woken by a failure.', async () => {
    const queue = new AsyncQueue<number>();
    const reading = readAll(queue);
    const failure = new Error('it broke');
    queue.fail(failure);
    await assert.rejects(reading, (thrown) => thrown === failure);
  });

  it('The first end counts, and nothing that is pushed after it is read.', async () => {
    const queue = new AsyncQueue<number>();
    assert.equal(queue.isEnded, false);
    queue.end();
    queue.push(1);
    queue.fail(new Error('too late'));
    assert.equal(queue.isEnded, true);
    assert.deepEqual(await readAll(queue), []);
  });
});
