import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { DeltaBuffer } from '../../../../../sidecar/host/context/deltaBuffer.ts';

describe('the text of an agent that is gathered', () => {
  let written: string[];
  let due: { readonly work: () => void; readonly delayMs: number }[];
  let latencyMs: number;
  let buffer: DeltaBuffer;
  beforeEach(() => {
    [written, due, latencyMs] = [[], [], 50];
    buffer = new DeltaBuffer(
      (kind, partId, text) => written.push(`${kind} ${partId}: ${text}`),
      () => latencyMs,
      {
        after(delayMs, work) {
          const timer = { work, delayMs };
          due.push(timer);
          return () => void (due = due.filter((it) => it !== timer));
        },
      },
    );
  });

  it('is one piece for all that comes within its time', () => {
    for (const it of ['a', 'b', 'c']) buffer.add('text', 'p', it);
    assert.deepEqual([written, due.map((it) => it.delayMs)], [[], [50]]);
    due[0]?.work();
    buffer.add('text', 'p', 'd');
    assert.deepEqual([written, due.length], [['text p: abc'], 1]);
  });
  it('is written before another part or kind of it begins, and in its order', () => {
    buffer.add('text', 'p', 'a');
    buffer.add('text', 'q', 'b');
    buffer.add('reasoning', 'q', 'c');
    assert.deepEqual([written, due.length], [['text p: a', 'text q: b'], 1]);
    buffer.flush();
    assert.deepEqual([written.at(-1), due.length], ['reasoning q: c', 0]);
    buffer.flush();
    assert.equal(written.length, 3);
  });
  it('is not gathered where nothing may wait', () => {
    latencyMs = 0;
    buffer.add('text', 'p', 'a');
    buffer.add('text', 'p', 'b');
    assert.deepEqual([written, due], [['text p: a', 'text p: b'], []]);
  });
});
