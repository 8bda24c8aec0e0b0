import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { describe, it } from 'mocha';
import { FrameWriter } from '../../../../sidecar/transport/writer.ts';
import { toFrame } from '../../../support/host/toFrame.ts';

function open(options: { maxQueueBytes?: number; highWaterMark?: number } = {}) {
  const writes: string[] = [];
  const accept: (() => void)[] = [];
  const flushes: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: options.highWaterMark ?? 16_384,
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      accept.push(done);
    },
  });
  const writer = new FrameWriter(stream, {
    schedule: (flush) => flushes.push(flush),
    ...(options.maxQueueBytes && { maxQueueBytes: options.maxQueueBytes }),
  });
  const flush = (): void => {
    for (const it of flushes.splice(0)) it();
  };
  return { writes, accept, stream, writer, flush };
}

describe('FrameWriter', () => {
  it('sends all frames of one tick in one write, in order, pre-serialised ones among them', async () => {
    const { writer, writes, flush } = open();
    writer.writeRaw('{"n":1}');
    await writer.write({ jsonrpc: '2.0' });
    writer.writeRaw('{"ü":3}');
    assert.deepEqual(writes, []);
    flush();
    assert.deepEqual(writes, [toFrame('{"n":1}') + toFrame('{"jsonrpc":"2.0"}') + toFrame('{"ü":3}')]);
    assert.match(writes[0]!, /Content-Length: 8\r\n\r\n\{"ü":3\}$/);
  });

  it('shares one write among the answers of handlers that settle in the same turn of the loop', async () => {
    const writes: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        writes.push(chunk.toString());
        done();
        stream.emit('written');
      },
    });
    const written = once(stream, 'written');
    const writer = new FrameWriter(stream);
    writer.writeRaw('1');
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => writer.writeRaw('2'));
    await written;
    assert.deepEqual(writes, [toFrame('1') + toFrame('2')]);
  });

  it('waits for drain, then sends what came meanwhile in one write', async () => {
    const { writer, writes, flush, accept, stream } = open({ highWaterMark: 10 });
    writer.writeRaw('"first"');
    flush();
    writer.writeRaw('"second"');
    writer.writeRaw('"third"');
    flush();
    assert.equal(writes.length, 1);
    const drained = new Promise((resolve) => void stream.once('drain', resolve));
    accept.shift()!();
    await drained;
    assert.deepEqual(writes.slice(1), [toFrame('"second"') + toFrame('"third"')]);
  });

  it('gives up once more bytes wait than allowed, says so once, and takes nothing more', () => {
    const { writer, flush } = open({ maxQueueBytes: 100, highWaterMark: 1 });
    const overflows: number[] = [];
    writer.onOverflow(({ queuedBytes }) => overflows.push(queuedBytes));
    assert.equal(writer.writeRaw('x'.repeat(50)), true);
    flush();
    assert.equal(writer.writeRaw('x'.repeat(50)), false);
    assert.equal(writer.writeRaw('x'), false);
    assert.deepEqual(overflows, [144]);
  });

  it('ends the stream after what was waiting', () => {
    const { writer, writes, stream } = open();
    writer.writeRaw('1');
    writer.end();
    assert.deepEqual(writes, [toFrame('1')]);
    assert.equal(stream.writableEnded, true);
    assert.equal(writer.writeRaw('2'), false);
  });

  it('refuses a message once the stream is gone', async () => {
    const { writer, stream } = open();
    const closed = new Promise<void>((resolve) => void writer.onClose(resolve));
    stream.destroy();
    await closed;
    await assert.rejects(writer.write({ jsonrpc: '2.0' }), /closed/);
  });
});
