import { ROOT } from '../../protocol/uris.ts';
import { SharedNotification } from '../../transport/wireText.ts';
import { ReplayRing } from '../state/replayRing.ts';
import type { Store, Written } from '../state/store.ts';

/** Default for `delivery.maxLatencyMs`. */
export const DEFAULT_LATENCY_MS = 16;

/** Whoever can be sent to. */
export interface Subscriber {
  readonly clientId: string;
  send(notification: SharedNotification): void;
}

/** Who receives what: subscriptions by channel, and the envelopes that left last. */
export class Hub {
  /** By channel: each subscriber with the longest it wants to wait, in milliseconds. */
  readonly #subscriptions = new Map<string, Map<Subscriber, number>>();
  readonly #byClient = new Map<string, Subscriber>();
  readonly #ring: ReplayRing;
  readonly #stop: () => void;

  constructor(store: Store) {
    this.#ring = new ReplayRing(store.serverSeq);
    this.#stop = store.onWritten((written) => this.#deliver(written));
  }

  join(subscriber: Subscriber): void {
    this.#byClient.set(subscriber.clientId, subscriber);
  }
  leave(subscriber: Subscriber): void {
    if (this.#byClient.get(subscriber.clientId) === subscriber) this.#byClient.delete(subscriber.clientId);
    for (const [channel, subscribers] of this.#subscriptions) {
      if (subscribers.delete(subscriber) && subscribers.size === 0) this.#subscriptions.delete(channel);
    }
  }

  subscribe(subscriber: Subscriber, channel: string, maxLatencyMs = DEFAULT_LATENCY_MS): void {
    const subscribers = this.#subscriptions.get(channel) ?? new Map<Subscriber, number>();
    subscribers.set(subscriber, maxLatencyMs);
    this.#subscriptions.set(channel, subscribers);
  }
  unsubscribe(subscriber: Subscriber, channel: string): void {
    const subscribers = this.#subscriptions.get(channel);
    if (subscribers?.delete(subscriber) && subscribers.size === 0) this.#subscriptions.delete(channel);
  }
  dropChannel(channel: string): void {
    this.#subscriptions.delete(channel);
  }
  isSubscribed(subscriber: Subscriber, channel: string): boolean {
    return this.#subscriptions.get(channel)?.has(subscriber) === true;
  }
  hasSubscribers(channel: string): boolean {
    return this.#subscriptions.has(channel);
  }

  /** How long deltas of a channel may be held back: what its least patient subscriber allows, at most the default. */
  latencyMs(channel: string): number {
    let least = DEFAULT_LATENCY_MS;
    for (const it of this.#subscriptions.get(channel)?.values() ?? []) least = Math.min(least, it);
    return least;
  }

  /** Envelopes of `channels` after `serverSeq`, or `undefined` when some of them are gone. */
  replay(serverSeq: number, lastSeq: number, channels: ReadonlySet<string>): Written['envelope'][] | undefined {
    return this.#ring
      .since(serverSeq, lastSeq)
      ?.map((it) => it.envelope)
      .filter((it) => channels.has(it.channel));
  }

  /** A notification for everyone who subscribed to the root; kept nowhere. */
  notifyRoot(method: string, params: object): void {
    const notification = new SharedNotification(method, { channel: ROOT, ...params });
    for (const it of this.#subscriptions.get(ROOT)?.keys() ?? []) it.send(notification);
  }

  close(): void {
    this.#stop();
  }

  #deliver(written: Written): void {
    const { envelope, only } = written;
    const notification = new SharedNotification('action', envelope, written.text);
    if (only) return (only as Subscriber).send(notification);
    const sender = envelope.origin && this.#byClient.get(envelope.origin.clientId);
    if (envelope.rejectionReason !== undefined) return sender?.send(notification);
    this.#ring.add(written);
    const subscribers = this.#subscriptions.get(envelope.channel);
    for (const it of subscribers?.keys() ?? []) it.send(notification);
    // The sender gets its echo also without a subscription: who answers from `inputNeeded` has none on the chat.
    if (sender && !subscribers?.has(sender)) sender.send(notification);
  }
}
