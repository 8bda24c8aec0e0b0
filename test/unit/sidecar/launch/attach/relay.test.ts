import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'mocha';
import { relay } from '../../../../../sidecar/launch/attach/relay.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';

const aMoment = async () => {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => void setImmediate(resolve));
};

describe('the relay', () => {
  it('ends only when the last bytes of the host are out', async () => {
    const written: string[] = [];
    const waiting: (() => void)[] = [];
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(chunk.toString());
        waiting.push(done);
      },
    });
    const socket = new PassThrough();
    let isOver = false;
    const over = relay(new PassThrough(), stdout, socket as unknown as Socket, systemTimers).then(
      () => (isOver = true),
    );
    socket.write('the last words');
    await aMoment();
    socket.destroy();
    await aMoment();
    assert.deepEqual([written, isOver], [['the last words'], false]);
    while (!isOver) {
      waiting.shift()?.();
      await aMoment();
    }
    await over;
  });
});
