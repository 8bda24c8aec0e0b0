import type { ChatAction } from '../../sidecar/protocol/channels/chat/actions.ts';
import { chatChannel } from '../../sidecar/protocol/channels/chat/channel.ts';
import { channelOf } from '../../sidecar/protocol/channels/index.ts';
import type { ActionEnvelope, AnyAction, DispatchParams } from '../../sidecar/protocol/envelope.ts';
import type { Connection } from '../../src/client/connection.ts';
import { Listeners } from '../../src/client/listeners.ts';

/** Requests have an `answer`, which the host runs when the request arrives. */
type ToHost = { method: string; params: unknown; answer?: () => void };
type ToClient = () => void;

/**
 * A host in memory with a wire whose every message is delivered by hand, so that a test can cut it anywhere. It keeps
 * what the real one promises: one counter, snapshots at an instant, receipts to the sender, each dispatch once.
 */
export class FakeHost {
  readonly states = new Map<string, unknown>();
  /** What was applied, as `clientId clientSeq`, in order. */
  readonly applied: string[] = [];
  readonly seen = new Map<string, number>();
  /** How often each came, by `clientId clientSeq`. */
  readonly received = new Map<string, number>();
  /** `_meta` of the answer to `initialize`. */
  initializeMeta: Readonly<Record<string, unknown>> = {};
  #serverSeq = 0;
  #clock = 0;
  #wire: Wire | undefined;

  get connected(): boolean {
    return this.#wire !== undefined;
  }

  connect(): Connection {
    this.cut('replaced');
    const wire: Wire = {
      toHost: [],
      toClient: [],
      subscribed: new Set(),
      listeners: new Map(),
      closed: new Listeners(),
    };
    this.#wire = wire;
    return {
      initializeResult: {
        protocolVersion: '0.7.0',
        serverSeq: this.#serverSeq,
        snapshots: [],
        capabilities: {},
        _meta: this.initializeMeta,
      },
      request: (method, params) =>
        new Promise((resolve, reject) => {
          const failure = Object.assign(new Error('no such channel'), { code: -32001 });
          const answer = () => {
            const result = this.#answer(wire, method, params as { channel: string });
            wire.toClient.push(() => (result === undefined ? reject(failure) : resolve(result)));
          };
          wire.toHost.push({ method, params, answer });
        }),
      notify: async (method, params) => void wire.toHost.push({ method, params }),
      onNotification(method, listener) {
        const listeners = wire.listeners.get(method) ?? new Listeners<unknown>();
        wire.listeners.set(method, listeners);
        return listeners.add(listener);
      },
      onClosed: (listener) => wire.closed.add(({ reason, cause }) => listener(reason, cause)),
    };
  }

  /** What was under way in either direction is lost. */
  cut(reason: string, cause?: 'messageTooLarge'): void {
    const wire = this.#wire;
    this.#wire = undefined;
    wire?.closed.fire({ reason, ...(cause && { cause }) });
  }

  /** Delivers up to `count` messages to the host, then to the client. Answers how many there were. */
  deliver(toHost: number, toClient: number): number {
    const wire = this.#wire;
    if (!wire) return 0;
    const up = wire.toHost.splice(0, toHost);
    for (const { method, params, answer } of up) {
      if (answer) answer();
      else if (method === 'dispatchAction') this.#dispatched(wire, params as DispatchParams);
      else if (method === 'unsubscribe') wire.subscribed.delete((params as { channel: string }).channel);
    }
    const down = wire.toClient.splice(0, toClient);
    for (const it of down) it();
    return up.length + down.length;
  }

  /** The host's own doing. */
  commit(channel: string, action: AnyAction): void {
    this.#commit(channel, action);
  }

  notify(method: string, params: unknown): void {
    const wire = this.#wire;
    wire?.toClient.push(() => wire.listeners.get(method)?.fire(JSON.parse(JSON.stringify(params))));
  }

  /** Something that no host should send. */
  corrupt(channel: string): void {
    this.notify('action', { channel, action: { type: 'chat/delta', turnId: 't' }, serverSeq: ++this.#serverSeq });
  }

  #answer(wire: Wire, method: string, { channel }: { channel: string }): unknown {
    if (method !== 'subscribe') return null;
    const state = this.states.get(channel);
    if (state === undefined) return undefined;
    wire.subscribed.add(channel);
    return JSON.parse(JSON.stringify({ snapshot: { resource: channel, state, fromSeq: this.#serverSeq } }));
  }

  #dispatched(wire: Wire, { channel, clientSeq, action }: DispatchParams): void {
    const origin = { clientId: 'c1', clientSeq };
    this.received.set(`c1 ${clientSeq}`, (this.received.get(`c1 ${clientSeq}`) ?? 0) + 1);
    if (!this.states.has(channel)) return;
    const before = this.seen.get(`c1 ${clientSeq}`);
    if (before !== undefined) return this.#send(wire, { channel, action, serverSeq: before, origin });
    if (JSON.stringify(action).includes('refuse me')) {
      return this.#send(wire, { channel, action, serverSeq: ++this.#serverSeq, origin, rejectionReason: 'refused' });
    }
    this.applied.push(`c1 ${clientSeq}`);
    this.#commit(channel, action, origin);
    this.seen.set(`c1 ${clientSeq}`, this.#serverSeq);
  }

  #commit(channel: string, action: AnyAction, origin?: { clientId: string; clientSeq: number }): void {
    const definition = channelOf(channel) ?? chatChannel;
    const at = new Date(this.#clock++ * 1_000).toISOString();
    const reduced = definition.reduce(this.states.get(channel) as never, action as ChatAction, { now: at });
    this.states.set(channel, definition.settle ? definition.settle(reduced as never) : reduced);
    const envelope = { channel, action, serverSeq: ++this.#serverSeq, _meta: { at }, ...(origin && { origin }) };
    const wire = this.#wire;
    if (wire && (wire.subscribed.has(channel) || origin)) this.#send(wire, envelope);
  }

  #send(wire: Wire, envelope: ActionEnvelope | object): void {
    const text = JSON.stringify(envelope);
    wire.toClient.push(() => wire.listeners.get('action')?.fire(JSON.parse(text)));
  }
}

interface Wire {
  readonly toHost: ToHost[];
  readonly toClient: ToClient[];
  readonly subscribed: Set<string>;
  readonly listeners: Map<string, Listeners<unknown>>;
  readonly closed: Listeners<{ reason: string; cause?: 'messageTooLarge' }>;
}
