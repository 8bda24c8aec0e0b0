import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import { beforeEach, describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import type { Timers } from '../../../../../sidecar/platform/timers.ts';
import { closeCodes } from '../../../../../sidecar/transport/webSocket/goodbye.ts';
import { WebSocketLink, type WebSocketLinkOptions } from '../../../../../sidecar/transport/webSocket/link.ts';
import { SharedNotification, WireText } from '../../../../../sidecar/transport/wireText.ts';

const HIGH_BYTES = 1024 * 1024;
const STALL_MS = 30_000;
const GOODBYE_MS = 1_000;

/** A client whose reading and closing the test sees, and does. */
class Client extends EventEmitter {
  bufferedAmount = 0;
  readyState: number = WebSocket.OPEN;
  readonly OPEN = WebSocket.OPEN;
  readonly CLOSED = WebSocket.CLOSED;
  readonly sent: string[] = [];
  readonly closes: [code: number, reason: string][] = [];
  isPaused = false;
  isTerminated = false;
  #taken: (() => void) | undefined;

  send(data: Buffer, { binary }: { binary: boolean }, taken?: () => void): void {
    assert.equal(binary, false);
    this.sent.push(data.toString());
    this.#taken = taken ?? this.#taken;
  }
  /** It has so much unread now. */
  leaves(bytes: number): void {
    this.bufferedAmount = bytes;
    this.#taken?.();
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

const ping = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const note = { jsonrpc: '2.0', method: 'note' };
const noteText = JSON.stringify(note);

describe('the link to a client on a WebSocket', () => {
  let client: Client;
  /** What came of it, in order. */
  let came: string[];
  let corks: string[];
  let due: { readonly delayMs: number; readonly work: () => void }[];
  let nowMs: number;
  beforeEach(() => {
    [client, came, corks, due, nowMs] = [new Client(), [], [], [], 0];
  });
  const after: Timers['after'] = (delayMs, work) => {
    const it = { delayMs, work };
    due.push(it);
    return () => void (due = due.filter((other) => other !== it));
  };
  function open(more: Partial<WebSocketLinkOptions> = {}): WebSocketLink {
    const stream = Object.assign(new Duplex(), {
      cork: () => void corks.push(`cork ${client.sent.length}`),
      uncork: () => void corks.push(`uncork ${client.sent.length}`),
    });
    const link = new WebSocketLink(client as unknown as WebSocket, stream, {
      clock: { ...systemMachine.clock, monotonicMs: () => nowMs },
      timers: { ...systemMachine.timers, after },
      messagesPerSecond: 1_000,
      maxDepth: 8,
      maxQueueBytes: 10 * HIGH_BYTES,
      ...more,
    });
    link.listen({
      message: (it) => void came.push(`message ${'id' in it ? it.id : JSON.stringify(it)}`),
      refused: ({ code, message, answer, fatal }) => void came.push(`refused ${code} ${message} ${answer} ${fatal}`),
      closed: (reason) => void came.push(`closed ${reason}`),
      trouble: (what) => void came.push(`trouble ${what}`),
      around(read) {
        came.push('(');
        read();
        came.push(')');
      },
    });
    return link;
  }
  /** What the client sends, in one chunk. */
  const says = async (...texts: string[]) => {
    for (const it of texts) client.emit('message', Buffer.from(it), false);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  const elapse = (delayMs: number) => {
    for (const it of due.filter((one) => one.delayMs === delayMs)) {
      due = due.filter((other) => other !== it);
      it.work();
    }
  };
  const delays = () => due.map((it) => it.delayMs);

  it('handles the messages of one chunk together and in order, and refuses those that are none', async () => {
    open();
    await says(ping(1), '{', '['.repeat(9) + ']'.repeat(9), '[]', '{"id":2}', ping(3));
    await says(ping(4));
    const refused = [
      'refused -32700 the body is not valid JSON true false',
      'refused -32600 nested more than 8 levels deep true false',
      'refused -32600 batches are not supported true false',
      'refused -32600 jsonrpc must be "2.0" true false',
    ];
    assert.deepEqual(came, ['(', 'message 1', ...refused, 'message 3', ')', '(', 'message 4', ')']);
  });

  it('sends each message in a text frame of its own, those of one tick together', async () => {
    const link = open();
    assert.equal(link.write({ a: 'ß' }), true);
    assert.equal(link.writeShared(new SharedNotification('n', { b: 1 })), true);
    assert.deepEqual(
      [client.sent, corks],
      [['{"a":"ß"}', '{"jsonrpc":"2.0","method":"n","params":{"b":1}}'], ['cork 0']],
    );
    await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual(corks, ['cork 0', 'uncork 2']);
    link.write({});
    await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual(corks.slice(2), ['cork 2', 'uncork 3']);
  });

  it('sends what is written while messages are handled as soon as all are', async () => {
    const link = open();
    client.emit('message', Buffer.from(ping(1)), false);
    client.emit('message', Buffer.from(ping(2)), false);
    const push = came.push.bind(came);
    came.push = (it) => {
      if (it.startsWith('message')) link.write({ to: it });
      return push(it);
    };
    await Promise.resolve();
    assert.deepEqual([client.sent.length, corks], [2, ['cork 0', 'uncork 2']]);
  });

  it('reads a client no faster than its pace, and goes on when it is slow enough', async () => {
    open({ messagesPerSecond: 2 });
    await says(ping(1));
    assert.deepEqual([client.isPaused, delays()], [false, []]);
    await says(ping(2));
    assert.deepEqual([client.isPaused, delays()], [true, [500]]);
    await says(ping(3));
    assert.deepEqual(delays(), [1_000], 'one wait at a time, and the longer one');
    nowMs = 1_000;
    elapse(1_000);
    assert.equal(client.isPaused, false);
    assert.equal(came.filter((it) => it.startsWith('message')).length, 3);
  });

  it('lets a client go that leaves more than a megabyte unread for half a minute, unless it reads half of it', () => {
    const link = open();
    client.bufferedAmount = HIGH_BYTES - 2;
    link.write({});
    assert.deepEqual(delays(), []);
    client.bufferedAmount = HIGH_BYTES - 1;
    link.write({});
    assert.deepEqual(delays(), [STALL_MS]);
    client.leaves(HIGH_BYTES / 2 + 1);
    assert.deepEqual(delays(), [STALL_MS]);
    client.leaves(HIGH_BYTES / 2);
    assert.deepEqual([delays(), client.closes], [[], []]);
    client.bufferedAmount = HIGH_BYTES;
    link.write({});
    link.write({});
    assert.deepEqual(delays(), [STALL_MS], 'one wait at a time');
    elapse(STALL_MS);
    assert.deepEqual(client.closes, [[closeCodes.tryAgain, 'the client stopped reading']]);
    assert.deepEqual([came, delays()], [['closed the client stopped reading'], [GOODBYE_MS]]);
    elapse(GOODBYE_MS);
    assert.equal(client.isTerminated, true);
  });

  it('lets a client go at once that leaves more unread than may wait for it', () => {
    const link = open({ maxQueueBytes: 100 });
    client.bufferedAmount = 100;
    assert.equal(link.write({}), true);
    assert.equal(link.queuedBytes, 100);
    client.bufferedAmount = 101;
    assert.equal(link.write({}), false);
    assert.deepEqual(client.closes, [[closeCodes.goingAway, 'the host closed the connection']]);
    assert.deepEqual([came, link.write({}), client.sent.length], [['closed overflow'], false, 2]);
  });

  it('ends with words where a client sends what is no text, and passes nothing of it on', async () => {
    const link = open();
    client.emit('message', Buffer.from(ping(1)), true);
    await says(ping(2));
    assert.deepEqual(client.closes, [[closeCodes.notText, 'messages must be text']]);
    assert.deepEqual([came, link.write({})], [['closed messages must be text', '(', ')'], false]);
  });

  it('ends for a client that may still read why, and has a second for it', () => {
    const link = open();
    client.isPaused = true;
    link.write(note);
    link.close();
    link.close();
    assert.deepEqual(client.closes, [[closeCodes.goingAway, 'the host closed the connection']]);
    assert.deepEqual([client.sent, corks], [[noteText], ['cork 0', 'uncork 1']]);
    assert.deepEqual(
      [client.isPaused, delays(), came],
      [false, [GOODBYE_MS], ['closed the host closed the connection']],
    );
    client.readyState = WebSocket.CLOSED;
    client.emit('close');
    elapse(GOODBYE_MS);
    assert.equal(client.isTerminated, false, 'it closed in time');
  });

  it('ends when its client is gone, also before it was listened to, and leaves no timer behind', async () => {
    const link = open({ messagesPerSecond: 1 });
    client.bufferedAmount = HIGH_BYTES;
    link.write({});
    await says(ping(1));
    assert.deepEqual(delays(), [STALL_MS, 1_000]);
    client.readyState = WebSocket.CLOSED;
    client.emit('close');
    assert.deepEqual([delays(), came.at(-1)], [[], 'closed the peer closed the connection']);
    assert.equal(link.write({}), false);
    link.close();
    assert.deepEqual(client.closes, []);
    came.length = 0;
    client = new Client();
    client.readyState = WebSocket.CLOSING;
    open();
    assert.deepEqual(came, ['closed the peer closed the connection']);
  });

  it('handles nothing that a client sent before it was sent away', async () => {
    const link = open();
    client.emit('message', Buffer.from(ping(1)), false);
    link.close();
    await says();
    assert.deepEqual(came, ['closed the host closed the connection', '(', ')']);
  });

  it('asks for an adapter until it knows the protocol, and writes what that makes of messages', async () => {
    const asked: unknown[] = [];
    const link = open({
      adapterFor(message) {
        asked.push(message);
        if (asked.length < 3) return undefined;
        return {
          fromClient: ({ id }) => {
            if (id === 'own') return { toClient: { answer: id } };
            if (id === 'bad') return { toHost: { id } };
            if (id === 'bye') return { toClient: { answer: id }, close: 'it said so' };
            return { toHost: { jsonrpc: '2.0', id: `to ${String(id)}`, method: 'ping' } };
          },
          toClient: ({ secret, ...it }) => (secret === undefined ? { ...it, shown: true } : undefined),
          shared: ({ method }) => (method === 'hidden' ? undefined : new WireText(`"${method}"`)),
        };
      },
    });
    link.write({ before: 1 });
    await says('[]', ping('unknown'), ping('known'), ping('later'), ping('own'), ping('bad'));
    assert.deepEqual(asked.length, 3);
    assert.deepEqual(came, [
      '(',
      'refused -32600 batches are not supported true false',
      'message unknown',
      'message to known',
      'message to later',
      'refused -32600 jsonrpc must be "2.0" true false',
      ')',
    ]);
    assert.deepEqual(
      [link.write({ n: 1 }), link.write({ secret: 1 }), link.writeShared(new SharedNotification('open', {}))],
      [true, true, true],
    );
    assert.equal(link.writeShared(new SharedNotification('hidden', {})), true);
    await says(ping('bye'), ping('after'));
    assert.deepEqual(client.sent, [
      '{"before":1}',
      '{"answer":"own"}',
      '{"n":1,"shown":true}',
      '"open"',
      '{"answer":"bye"}',
    ]);
    assert.deepEqual(
      [client.closes, came.slice(7)],
      [[[closeCodes.normal, 'it said so']], ['(', 'closed it said so', ')']],
    );
    assert.equal(link.write({ secret: 1 }), false);
  });
});
