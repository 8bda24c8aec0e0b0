import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { ActionEnvelope } from '../../../../sidecar/protocol/envelope.ts';
import { type Connection, ConnectionLost } from '../../../../src/client/connection.ts';
import { HostClient, type Rejection } from '../../../../src/client/hostClient.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import { emptySession } from '../../../support/protocol/arbitraryActions.ts';

const uri = 'host-session:/1';
const titled = (title: string) => ({ type: 'session/titleChanged', title }) as const;
const moments = async () => {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => void setImmediate(resolve));
};

/** A connection whose other end is the test. It goes on talking after it was replaced. */
class Wire {
  readonly sent: string[] = [];
  readonly closed = new Listeners<string>();
  readonly #listeners = new Map<string, Listeners<unknown>>();
  readonly #messageBytes: number | undefined;
  answer: () => Promise<unknown> = async () => ({ snapshot: { resource: uri, state: emptySession, fromSeq: 0 } });

  constructor(messageBytes?: number) {
    this.#messageBytes = messageBytes;
  }

  say(method: string, params: unknown): void {
    this.#listeners.get(method)?.fire(params);
  }
  action(envelope: Partial<ActionEnvelope>): void {
    this.say('action', { channel: uri, action: titled('theirs'), serverSeq: 1, ...envelope });
  }
  get connection(): Connection {
    const limit = this.#messageBytes;
    return {
      initializeResult: {
        protocolVersion: '0.7.0',
        serverSeq: 0,
        snapshots: [],
        capabilities: {},
        _meta: { ...(limit !== undefined && { messageBytes: limit }) },
      },
      request: (method) => {
        this.sent.push(method);
        return this.answer();
      },
      notify: async (method, params) => {
        const { clientSeq } = params as { clientSeq?: number };
        this.sent.push(clientSeq === undefined ? method : `${method} ${clientSeq}`);
      },
      onNotification: (method, listener) => {
        const listeners = this.#listeners.get(method) ?? new Listeners<unknown>();
        this.#listeners.set(method, listeners);
        return listeners.add(listener);
      },
      onClosed: (listener) => this.closed.add(listener),
    };
  }
}

describe('connections of a client that follow each other', () => {
  let client: HostClient;
  let waiting: Set<() => void>;
  let rejections: Rejection[];
  let reasons: string[];
  let connect: () => Promise<void>;
  beforeEach(() => {
    [waiting, rejections, reasons] = [new Set(), [], []];
    connect = async () => undefined;
    client = new HostClient({
      clientId: 'c1',
      now: () => '2030-01-01T00:00:00Z',
      connect: () => connect(),
      warn: () => undefined,
      schedule(work) {
        waiting.add(work);
        return { dispose: () => void waiting.delete(work) };
      },
    });
    client.onDidReject((it) => rejections.push(it));
    client.onDidDisconnect((it) => reasons.push(it));
  });

  it('end what waited on the one before, and hear nothing more of it', async () => {
    const [first, second] = [new Wire(), new Wire()];
    client.attach(first.connection);
    const view = client.open<SessionState>(uri);
    await moments();
    first.answer = () => new Promise(() => {});
    const lost = client.request('root/listSessions', { limit: 1 } as never);
    await moments();
    client.attach(second.connection);
    await assert.rejects(lost, ConnectionLost);
    assert.deepEqual(reasons, ['another connection took its place']);
    await moments();
    first.action({ serverSeq: 9 });
    first.closed.fire('late');
    assert.deepEqual(
      [view.shown?.title, reasons.length, client.handshake !== undefined],
      [emptySession.title, 1, true],
    );
    second.action({ serverSeq: 1 });
    assert.equal(view.shown?.title, 'theirs');
  });

  it('carry what was not answered, with numbers from 1, and each waits for its answer on one connection', async () => {
    const [first, second] = [new Wire(), new Wire()];
    client.attach(first.connection);
    const numbers = [client.dispatch(uri, titled('a')), client.dispatch(uri, titled('b'))];
    assert.deepEqual([numbers, waiting.size], [[1, 2], 2]);
    first.action({ origin: { clientId: 'c2', clientSeq: 2 } });
    assert.equal(waiting.size, 2, 'the receipt of another client is none of ours');
    first.action({ serverSeq: 2, origin: { clientId: 'c1', clientSeq: 1 } });
    assert.equal(waiting.size, 1);
    client.attach(second.connection);
    assert.deepEqual([second.sent, waiting.size], [['dispatchAction 2'], 1]);
    second.action({ serverSeq: 3, origin: { clientId: 'c1', clientSeq: 2 }, rejectionReason: 'no' });
    assert.deepEqual(
      rejections.map(({ clientSeq, reason }) => `${clientSeq} ${reason}`),
      ['2 no'],
    );
    assert.equal(waiting.size, 0);
  });

  it('refuse what is too large only when its number is known', async () => {
    client.attach(new Wire(200).connection);
    const order: string[] = [];
    client.onDidReject(({ clientSeq }) => order.push(`rejected ${clientSeq}`));
    order.push(`number ${client.dispatch(uri, titled('x'.repeat(500)))}`);
    await moments();
    assert.deepEqual(order, ['number 1', 'rejected 1']);
  });

  it('ask for a channel again of which something unreadable came, and leave it with its last holder', async () => {
    const wire = new Wire();
    client.attach(wire.connection);
    const view = client.open<SessionState>(uri);
    await moments();
    wire.say('action', { channel: uri, serverSeq: 'one' });
    assert.deepEqual(wire.sent, ['subscribe', 'subscribe']);
    view.dispose();
    assert.deepEqual([wire.sent.at(-1), client.holds(uri)], ['unsubscribe', false]);
    client.open(uri).dispose();
    assert.deepEqual(wire.sent.slice(-2), ['subscribe', 'unsubscribe']);
  });

  it('hand on what a newer host says besides', () => {
    const wire = new Wire();
    const heard: unknown[] = [];
    client.onNotification('root/sessionRemoved', (it) => heard.push(it));
    client.attach(wire.connection);
    wire.say('root/sessionRemoved', { channel: 'host-root:/', session: uri, tomorrow: 1 });
    assert.deepEqual(heard, [{ channel: 'host-root:/', session: uri, tomorrow: 1 }]);
  });

  it('are said to be missing where a connection ended before it was used', async () => {
    await assert.rejects(client.request('root/listSessions', { limit: 1 } as never), {
      name: 'ConnectionLost',
      message: 'there is no connection to the host',
    });
  });
});
