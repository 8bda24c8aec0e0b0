import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Preamble, parseLine, readLine } from '../../../../../sidecar/launch/attach/preamble.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { PeerConnection } from '../../../../../sidecar/transport/peer.ts';
import { toFrame } from '../../../../support/host/toFrame.ts';
import { memoryPair } from '../../../../support/memoryPair.ts';

const build = { version: '1.0.0', builtAtMs: 1 };

describe('the first line of a connection', () => {
  it('is read up to its LF, in pieces too, and the bytes after it belong to JSON-RPC', async () => {
    const [near, far] = memoryPair();
    const line = readLine(near, 1_000, systemTimers);
    const note = toFrame('{"jsonrpc":"2.0","method":"note","params":{"n":1}}');
    far.write('{"switch');
    far.write(`board":"status"}\n${note.slice(0, 30)}`);
    assert.equal(await line, '{"switchboard":"status"}');
    const peer = PeerConnection.overStream(near, {
      timers: systemTimers,
      toError: () => ({ code: -32603, message: 'internal' }),
    });
    const noted = new Promise((resolve) => void peer.onNotification({ note: resolve }));
    peer.listen();
    far.write(note.slice(30));
    assert.deepEqual(await noted, { n: 1 });
    near.destroy();
  });
  it('is nothing when the stream ends, when it has no end, or when it does not come', async () => {
    for (const write of ['', 'x'.repeat(5_000)]) {
      const [near, far] = memoryPair();
      const line = readLine(near, 1_000, systemTimers);
      if (write) far.write(write);
      else far.end();
      assert.equal(await line, undefined);
    }
    assert.equal(await readLine(memoryPair()[0], 1, systemTimers), undefined);
  });

  for (const [line, isGood] of [
    [JSON.stringify({ switchboard: 'attach', build, protocol: '0.7.0' }), true],
    [JSON.stringify({ switchboard: 'attach', build, protocol: '0.7.0', later: true }), true],
    ['{"switchboard":"status"}', true],
    ['{"switchboard":"stop"}', true],
    ['{"switchboard":"stop","force":"yes"}', false],
    ['{"switchboard":"attach"}', false],
    ['{"switchboard":"other"}', false],
    ['Content-Length: 5', false],
    ['null', false],
    ['', false],
  ] as const) {
    it(`${line || 'an empty line'} is ${isGood ? 'understood' : 'refused'}`, () => {
      assert.equal(parseLine(line, Preamble) !== undefined, isGood);
    });
  }
});
