import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import { beforeEach, describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import type { Timers } from '../../../../../sidecar/platform/timers.ts';
import { toFrame } from '../../../../../sidecar/transport/frames.ts';
import { type BridgeOptions, bridge, closeCodes } from '../../../../../sidecar/transport/webSocket/bridge.ts';

const HIGH_BYTES = 1024 * 1024;
const STALL_MS = 30_000;
const GOODBYE_MS = 1_000;

/** A client whose reading and closing the test sees, and does. */
class Client extends EventEmitter {
  bufferedAmount = 0;
  readyState: number = WebSocket.OPEN;
  readonly CLOSED = WebSocket.CLOSED;
  readonly sent: string[] = [];
  readonly closes: [code: number, reason: string][] = [];
  isPaused = false;
  isTerminated = false;
  #read: () => void = () => undefined;

  send(data: string | Buffer, _options: object, taken: () => void): void {
    this.sent.push(data.toString());
    this.#read = taken;
  }
  /** It has so much unread now. */
  leaves(bytes: number): void {
    this.bufferedAmount = bytes;
    this.#read();
  }
  says(text: string, isBinary = false): void {
    this.emit('message', Buffer.from(text), isBinary);
  }
  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }
  terminate(): void {
    this.isTerminated = true;
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
}

describe('the flow between a client on a WebSocket and the host', () => {
  let client: Client;
  let host: Duplex;
  let toHost: string[];
  let taken: (() => void) | undefined;
  let due: { readonly delayMs: number; readonly work: () => void }[];
  let nowMs: number;
  beforeEach(() => {
    [client, toHost, due, nowMs, taken] = [new Client(), [], [], 0, undefined];
    host = new Duplex({
      read: () => undefined,
      highWaterMark: 64,
      write(chunk: Buffer, _encoding, done) {
        toHost.push(chunk.toString());
        taken = done;
      },
      final: (done) => done(),
    });
  });
  const after: Timers['after'] = (delayMs, work) => {
    const it = { delayMs, work };
    due.push(it);
    return () => void (due = due.filter((other) => other !== it));
  };
  const run = (more: Partial<BridgeOptions> = {}) =>
    bridge(client as unknown as WebSocket, host, {
      clock: { ...systemMachine.clock, monotonicMs: () => nowMs },
      timers: { ...systemMachine.timers, after },
      messagesPerSecond: 1_000,
      ...more,
    });
  const elapse = (delayMs: number) => {
    for (const it of due.filter((one) => one.delayMs === delayMs)) {
      due = due.filter((other) => other !== it);
      it.work();
    }
  };
  const delays = () => due.map((it) => it.delayMs);
  const hostSays = async (text: string) => {
    host.push(toFrame(text));
    await new Promise((resolve) => void setImmediate(resolve));
  };
  const taking = () => {
    const done = taken;
    taken = undefined;
    done?.();
    return new Promise((resolve) => void setImmediate(resolve));
  };

  it('waits for the host where that takes no more, and goes on when it does', async () => {
    run();
    client.says('{}');
    assert.deepEqual([toHost, client.isPaused], [[toFrame('{}')], false]);
    client.says(`"${'x'.repeat(100)}"`);
    assert.equal(client.isPaused, true);
    await taking();
    await taking();
    assert.deepEqual([toHost.length, client.isPaused], [2, false]);
  });

  it('waits as long as a client is too fast, however ready the host is', () => {
    run({ messagesPerSecond: 2 });
    client.says('1');
    assert.deepEqual([client.isPaused, delays()], [false, []]);
    client.says('2');
    assert.deepEqual([client.isPaused, delays()], [true, [500]]);
    host.emit('drain');
    assert.equal(client.isPaused, true);
    nowMs = 500;
    elapse(500);
    assert.equal(client.isPaused, false);
  });

  it('stops the host while its client leaves more than a megabyte unread, and goes on at half of it', async () => {
    run();
    client.bufferedAmount = HIGH_BYTES;
    await hostSays('1');
    assert.deepEqual([host.isPaused(), delays()], [false, []]);
    client.bufferedAmount = HIGH_BYTES + 1;
    await hostSays('2');
    assert.deepEqual([host.isPaused(), delays()], [true, [STALL_MS]]);
    client.leaves(HIGH_BYTES / 2 + 1);
    assert.equal(host.isPaused(), true);
    client.leaves(HIGH_BYTES / 2);
    assert.deepEqual([host.isPaused(), delays(), client.closes], [false, [], []]);
    client.bufferedAmount = HIGH_BYTES + 1;
    await hostSays('3');
    await hostSays('4');
    assert.deepEqual(delays(), [STALL_MS], 'one wait at a time');
    elapse(STALL_MS);
    assert.deepEqual(client.closes, [[closeCodes.tryAgain, 'nothing was read']]);
    assert.deepEqual(delays(), [GOODBYE_MS]);
    elapse(GOODBYE_MS);
    assert.equal(client.isTerminated, true);
  });

  it('stops reading a client that is answered on the way and does not read, until it reads', () => {
    run({ adapterFor: () => ({ fromClient: (text) => ({ toClient: text }), fromHost: () => ({}) }) });
    client.says('a');
    assert.deepEqual([client.sent, client.isPaused], [['a'], false]);
    client.bufferedAmount = HIGH_BYTES + 1;
    client.says('b');
    assert.deepEqual([client.isPaused, toHost], [true, []]);
    client.leaves(0);
    assert.deepEqual([client.isPaused, delays()], [false, []]);
  });

  it('goes on reading a client whose messages are for the host, though it reads nothing itself', async () => {
    run();
    client.bufferedAmount = HIGH_BYTES + 1;
    await hostSays('x');
    client.says('1');
    assert.deepEqual([client.isPaused, toHost], [false, [toFrame('1')]]);
  });

  it('asks for a translator until it knows the protocol, and not for what nests too deep', async () => {
    const asked: string[] = [];
    run({
      adapterFor(text) {
        asked.push(text);
        if (text === 'unknown') return undefined;
        return {
          fromClient: (it) => ({ toHost: `to ${it}` }),
          fromHost: (it) => (it === 'stop' ? { close: 'it said so' } : { toClient: `from ${it}` }),
        };
      },
    });
    const deep = '['.repeat(1_001) + ']'.repeat(1_001);
    for (const it of [deep, 'unknown', 'known', 'later', deep]) {
      client.says(it);
      await taking();
    }
    assert.deepEqual(asked, ['unknown', 'known']);
    assert.deepEqual(toHost, [deep, 'unknown', 'to known', 'to later', deep].map(toFrame));
    await hostSays('words');
    await hostSays('stop');
    assert.deepEqual([client.sent, client.closes], [['from words'], [[closeCodes.normal, 'it said so']]]);
  });

  it('has no translator where the first message needs none', async () => {
    const asked: string[] = [];
    run({ adapterFor: (text) => (asked.push(text) > 0 ? 'none' : undefined) });
    client.says('a');
    client.says('b');
    await hostSays('c');
    assert.deepEqual([asked, client.sent], [['a'], ['c']]);
  });

  it('ends with words where a client sends what is no text, and passes nothing of it on', () => {
    run();
    client.says('{}', true);
    assert.deepEqual([client.closes, toHost], [[[closeCodes.notText, 'messages are text']], []]);
  });

  it('ends for a client whose host is gone, which may still read that, and has a second for it', async () => {
    run();
    client.isPaused = true;
    host.destroy(new Error('reset'));
    await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual(client.closes, [[closeCodes.goingAway, 'the host closed the connection']]);
    assert.deepEqual([client.isPaused, delays()], [false, [GOODBYE_MS]]);
    client.emit('close');
    elapse(GOODBYE_MS);
    assert.equal(client.isTerminated, false, 'it closed in time');
  });

  it('ends for a host whose client is gone, which has a second to close its side, and waits for nobody', async () => {
    run();
    client.bufferedAmount = HIGH_BYTES + 1;
    await hostSays('x');
    client.readyState = WebSocket.CLOSED;
    client.emit('close');
    assert.deepEqual([host.writableEnded, host.isPaused(), delays()], [true, false, [GOODBYE_MS]]);
    elapse(GOODBYE_MS);
    assert.equal(host.destroyed, true);
    await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual(delays(), [], 'there is nobody to say goodbye to');
  });
});
