import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { DEFAULT_LATENCY_MS, Hub, type Subscriber } from '../../../../../sidecar/host/rpc/hub.ts';
import type { Store, Written } from '../../../../../sidecar/host/state/store.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { SharedNotification } from '../../../../../sidecar/transport/wireText.ts';

const [CHAT, OTHER] = ['host-chat:/1', 'host-chat:/2'];

class Reader implements Subscriber {
  readonly clientId: string;
  readonly texts: string[] = [];
  constructor(clientId: string) {
    this.clientId = clientId;
  }
  send({ wire }: SharedNotification): void {
    this.texts.push(wire.text);
  }
  /** The numbers of the envelopes that came, each once. */
  take(): unknown[] {
    return this.texts.splice(0).map((it) => JSON.parse(it).params.serverSeq);
  }
}

describe('what subscribers are sent', () => {
  let hub: Hub;
  let write: ((written: Written) => void) | undefined;
  let seq: number;
  let one: Reader;
  let two: Reader;
  beforeEach(() => {
    seq = 10;
    const store: Pick<Store, 'serverSeq' | 'onWritten'> = {
      serverSeq: seq,
      onWritten(listener) {
        write = listener;
        return () => (write = undefined);
      },
    };
    hub = new Hub(store as Store);
    one = new Reader('c1');
    two = new Reader('c2');
    for (const it of [one, two]) hub.join(it);
  });
  function say(channel: string, sender?: string, more: { rejectionReason?: string; only?: object } = {}): number {
    seq += 1;
    const { only, ...told } = more;
    const origin = sender === undefined ? undefined : { clientId: sender, clientSeq: seq };
    const envelope = { channel, action: { type: 'x' }, serverSeq: seq, ...(origin && { origin }), ...told };
    write?.({ envelope, text: JSON.stringify(envelope), ...(only && { only }) } as Written);
    return seq;
  }

  it('is what happens in their channels until they leave, and once where they did it themselves', () => {
    hub.subscribe(one, CHAT);
    hub.subscribe(two, CHAT);
    hub.subscribe(two, OTHER);
    const numbers = [say(CHAT), say(CHAT, 'c1'), say(OTHER)];
    assert.deepEqual([one.take(), two.take()], [numbers.slice(0, 2), numbers]);
    hub.unsubscribe(one, CHAT);
    hub.unsubscribe(one, OTHER);
    const later = [say(CHAT), say(OTHER)];
    assert.deepEqual([one.take(), two.take()], [[], later]);
    assert.deepEqual(
      [hub.isSubscribed(one, CHAT), hub.isSubscribed(two, CHAT), hub.hasSubscribers(CHAT)],
      [false, true, true],
    );
    hub.subscribe(one, OTHER);
    hub.leave(two);
    const last = [say(CHAT), say(OTHER)];
    assert.deepEqual([one.take(), two.take()], [last.slice(1), []]);
    assert.deepEqual([hub.hasSubscribers(CHAT), hub.hasSubscribers(OTHER)], [false, true]);
    hub.unsubscribe(one, OTHER);
    assert.equal(hub.hasSubscribers(OTHER), false);
    hub.subscribe(one, CHAT);
    hub.dropChannel(CHAT);
    assert.equal(hub.hasSubscribers(CHAT), false);
    hub.close();
    assert.equal(write, undefined);
  });

  it('is the receipt of what they did, and a refusal alone, also where they do not look', () => {
    hub.subscribe(two, CHAT);
    const receipt = say(CHAT, 'c1');
    const refusal = say(CHAT, 'c1', { rejectionReason: 'no' });
    const page = say(CHAT, undefined, { only: one });
    assert.deepEqual([one.take(), two.take()], [[receipt, refusal, page], [receipt]]);
    assert.deepEqual(
      hub.replay(10, seq, new Set([CHAT]))?.map((it) => it.serverSeq),
      [receipt],
      'neither is for anybody who comes back',
    );
    hub.leave(one);
    say(CHAT, 'c1');
    assert.deepEqual(one.take(), []);
  });

  it('goes to the connection that speaks for the client now, whatever becomes of the one before', () => {
    const again = new Reader('c1');
    hub.join(again);
    hub.leave(one);
    const number = say(CHAT, 'c1');
    assert.deepEqual([one.take(), again.take()], [[], [number]]);
  });

  it('is repeated from the given number on, for the given channels, or not at all', () => {
    const numbers = [say(CHAT), say(OTHER), say(CHAT)];
    const since = (from: number) => hub.replay(from, seq, new Set([CHAT]))?.map((it) => it.serverSeq);
    assert.deepEqual(since(10), [numbers[0], numbers[2]]);
    assert.deepEqual(since(numbers[0]!), [numbers[2]]);
    assert.deepEqual([since(seq), since(seq + 1), since(9)], [[], undefined, undefined]);
  });

  it('waits as long as the least patient of a channel allows, and never longer than by default', () => {
    const latency = () => hub.latencyMs(CHAT);
    assert.equal(latency(), DEFAULT_LATENCY_MS);
    hub.subscribe(one, CHAT, 500);
    assert.equal(latency(), DEFAULT_LATENCY_MS);
    hub.subscribe(two, CHAT, 3);
    hub.subscribe(two, OTHER, 0);
    assert.equal(latency(), 3);
    hub.subscribe(one, CHAT, 2);
    assert.equal(latency(), 2);
    hub.subscribe(one, CHAT);
    hub.unsubscribe(two, CHAT);
    assert.equal(latency(), DEFAULT_LATENCY_MS);
  });

  it('is a notice of the root for those who subscribed to it', () => {
    hub.subscribe(one, ROOT);
    hub.subscribe(two, CHAT);
    hub.notifyRoot('root/progress', { n: 1 });
    assert.deepEqual(
      one.texts.map((it) => JSON.parse(it)),
      [{ jsonrpc: '2.0', method: 'root/progress', params: { channel: ROOT, n: 1 } }],
    );
    assert.deepEqual(two.texts, []);
  });
});
