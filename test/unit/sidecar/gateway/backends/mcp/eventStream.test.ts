import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { EventReader, type NamedEvent } from '../../../../../../sidecar/gateway/backends/mcp/eventStream.ts';

describe('an event in a stream of events', () => {
  for (const size of [1, 7, 1_000])
    it(`is too large by its own size, and those before it are read, in pieces of ${size} bytes`, () => {
      const reader = new EventReader({ name: 'calc', maxResponseBytes: 30 });
      const bytes = Buffer.from(`id: 1\ndata: ${'x'.repeat(10)}\n\ndata: ${'y'.repeat(31)}\n\ndata: z\n\n`);
      const seen: NamedEvent[] = [];
      const read = () => {
        for (let at = 0; at < bytes.length; at += size)
          for (const it of reader.read(bytes.subarray(at, at + size))) seen.push(it);
      };
      assert.throws(read, { kind: 'too_large' });
      assert.deepEqual(seen, [{ id: '1', data: 'x'.repeat(10) }]);
    });
});
