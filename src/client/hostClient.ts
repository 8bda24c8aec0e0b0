import { channelOf } from '../../sidecar/protocol/channels/index.ts';
import { judgeAction } from '../../sidecar/protocol/channels/judgeAction.ts';
import { InitializeResult } from '../../sidecar/protocol/commands.ts';
import { type ActionEnvelope, type AnyAction, parseEnvelope } from '../../sidecar/protocol/envelope.ts';
import type { Notice } from '../../sidecar/protocol/hostInfo.ts';
import {
  type HostNotificationName,
  type HostNotificationParams,
  hostNotifications,
  type MethodName,
  methods,
  type RequestParams,
} from '../../sidecar/protocol/methods.ts';
import { type Connection, ConnectionLost } from './connection.ts';
import { Listeners } from './listeners.ts';
import { bytesOf, closedOver, overTheLimit } from './messageSize.ts';
import type { Answer, ChannelView, Disposable, HostPort } from './port.ts';
import { afterDelay, type RequestOptions, Requests, type Schedule } from './requests.ts';
import { type Dispatch, SendQueue } from './sendQueue.ts';
import { type OpenOptions, Subscription } from './subscription.ts';

export interface HostClientDeps {
  /** Unique to this object and the same on all its connections: its dispatches are numbered from 1. */
  readonly clientId: string;
  readonly now: () => string;
  /** Makes a connection and attaches it; settles when that is done. Rejects with a reason for a person. */
  readonly connect: () => Promise<void>;
  readonly warn: (message: string) => void;
  /** A sentence of the host in the language of the person. */
  readonly translate?: (text: string) => string;
  readonly schedule?: Schedule;
}
/** A dispatch that the host refused, or never answered. What was shown for it is taken back. */
export interface Rejection extends Dispatch {
  readonly reason: string;
}

/** How long a dispatch may stay unanswered on one connection: for an unknown channel no echo comes. */
const ECHO_MS = 30_000;

/** The protocol's client over connections that come and go. Views and mirrors outlive every one of them. */
export class HostClient implements HostPort, Disposable {
  readonly #deps: HostClientDeps & Required<Pick<HostClientDeps, 'schedule' | 'translate'>>;
  readonly #queue = new SendQueue();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #listeners = new Map<string, Listeners<unknown>>();
  readonly #connected = new Listeners<void>();
  readonly #disconnected = new Listeners<string>();
  readonly #rejected = new Listeners<Rejection>();
  #live: Live | undefined;
  #notices: readonly Notice[] = [];

  constructor(deps: HostClientDeps) {
    this.#deps = { schedule: afterDelay, translate: (text) => text, ...deps };
  }

  /** After every handshake, the first and those after a break: what is not replayed must be asked for again. */
  readonly onDidConnect = (listener: () => void): Disposable => this.#connected.add(listener);
  /** Called with the reason. */
  readonly onDidDisconnect = (listener: (reason: string) => void): Disposable => this.#disconnected.add(listener);
  readonly onDidReject = (listener: (rejection: Rejection) => void): Disposable => this.#rejected.add(listener);

  get clientId(): string {
    return this.#deps.clientId;
  }
  /** `undefined` while there is no connection. */
  get handshake(): InitializeResult | undefined {
    return this.#live?.handshake;
  }
  /** As the host said them last; emptied by a break. */
  get notices(): readonly Notice[] {
    return this.#notices;
  }
  /** What is not answered yet; a window that closes now may lose it. */
  get unanswered(): readonly Dispatch[] {
    return this.#queue.waiting;
  }

  /**
   * Takes over a connection whose `initialize` was answered, in place of the one before: subscribes to everything that
   * is held, sends what was not answered again, in order and with the same numbers.
   * @throws when the answer to `initialize` is malformed
   */
  attach(connection: Connection): void {
    const { data: handshake, error } = InitializeResult.safeParse(connection.initializeResult);
    if (!handshake) throw new Error('the host answered initialize with something else', { cause: error });
    this.#detach('another connection took its place');
    const requests = new Requests(connection, this.#deps.schedule);
    const live: Live = { connection, handshake, requests, parts: [], sent: new Map() };
    this.#live = live;
    for (const name of Object.keys(hostNotifications) as HostNotificationName[]) {
      live.parts.push(connection.onNotification(name, (params) => this.#notified(name, params)));
    }
    live.parts.push(connection.onClosed((reason, cause) => this.#closed(live, reason, cause)));
    for (const it of this.#subscriptions.values()) it.subscribe(requests);
    for (const it of this.#queue.waiting) this.#send(live, it);
    this.#connected.fire();
  }

  async request<M extends MethodName>(
    method: M,
    params: RequestParams<M>,
    options?: RequestOptions,
  ): Promise<Answer<M>> {
    if (!this.#live) await this.#deps.connect();
    if (!this.#live) throw new ConnectionLost('there is no connection to the host');
    const answer = await this.#live.requests.send(method, params, options).catch((error: unknown) => {
      if (error instanceof Error) error.message = this.#deps.translate(error.message);
      throw error;
    });
    const judged = methods[method].result.safeParse(answer);
    if (!judged.success) throw new Error(`the host answered ${method} with something else`, { cause: judged.error });
    return answer as Answer<M>; // the judged value itself: a parsed copy would lose members of a newer host
  }

  /**
   * Shown at once, sent in order, sent again after a break until the host answered.
   * @returns the number under which a {@link Rejection} would come
   * @throws for an action that its channel does not have: a caller's bug
   */
  dispatch(channel: string, action: AnyAction): number {
    const definition = channelOf(channel);
    const verdict = definition && judgeAction(definition, action);
    if (verdict?.verdict !== 'ok') {
      const why = verdict?.verdict === 'malformed' ? verdict.reason : 'no such action of this channel';
      throw new TypeError(`cannot dispatch ${action.type}: ${why}`);
    }
    const dispatch = this.#queue.add(channel, action);
    this.#subscriptions.get(channel)?.expect(dispatch.clientSeq, action);
    if (this.#live) this.#send(this.#live, dispatch);
    else this.#connectInBackground();
    return dispatch.clientSeq;
  }

  /** Holders share one subscription, which ends with the last; the first one's options count. */
  open<S>(uri: string, options: OpenOptions = {}): ChannelView<S> {
    const subscription = this.#subscriptions.get(uri) ?? this.#subscribe(uri, options);
    return subscription.hold<S>(() => {
      this.#subscriptions.delete(uri);
      if (this.#live) this.#notify(this.#live, 'unsubscribe', { channel: uri });
    });
  }

  /** Whether somebody looks at this channel here. */
  holds(uri: string): boolean {
    return this.#subscriptions.has(uri);
  }

  onNotification<N extends HostNotificationName>(
    name: N,
    listener: (params: HostNotificationParams<N>) => void,
  ): Disposable {
    const listeners = this.#listeners.get(name) ?? new Listeners<unknown>();
    this.#listeners.set(name, listeners);
    return listeners.add(listener as (params: unknown) => void);
  }

  /** A notification to the host, given up silently when there is no connection: the next handshake carries the facts. */
  notify(method: 'x-switchboard/windowChanged', params: unknown): void {
    if (this.#live) this.#notify(this.#live, method, params);
  }

  dispose(): void {
    this.#detach('the client was closed');
  }

  #subscribe(uri: string, options: OpenOptions): Subscription {
    const subscription = new Subscription(uri, options, this.#deps);
    this.#subscriptions.set(uri, subscription);
    for (const it of this.#queue.of(uri)) subscription.expect(it.clientSeq, it.action);
    if (this.#live) subscription.subscribe(this.#live.requests);
    else this.#connectInBackground();
    return subscription;
  }

  #connectInBackground(): void {
    this.#deps.connect().catch((error: unknown) => {
      this.#deps.warn(`no connection to the host: ${error instanceof Error ? error.message : 'unknown failure'}`);
    });
  }

  #send(live: Live, dispatch: Dispatch): void {
    const { clientSeq } = dispatch;
    const limit = live.handshake._meta?.messageBytes;
    const bytes = bytesOf('dispatchAction', dispatch);
    if (limit !== undefined && bytes > limit)
      return queueMicrotask(() => this.#giveUp(clientSeq, overTheLimit(bytes, limit))); // its number is known by then
    this.#notify(live, 'dispatchAction', dispatch);
    const timer = this.#deps.schedule(() => this.#giveUp(clientSeq, 'the host did not answer'), ECHO_MS);
    live.sent.set(clientSeq, { bytes, timer });
  }

  /** What the host closed the connection over is the largest that waits: sent again, it would do so for ever. */
  #closed(live: Live, reason: string, cause: 'messageTooLarge' | undefined): void {
    if (this.#live !== live) return;
    const [largest] = [...live.sent].sort(([, a], [, b]) => b.bytes - a.bytes);
    if (cause === 'messageTooLarge' && largest && largest[1].bytes > live.requests.largest)
      this.#giveUp(largest[0], closedOver(largest[1].bytes));
    this.#detach(reason);
  }

  /** The host answered, or will not. */
  #taken(clientSeq: number): Dispatch | undefined {
    this.#live?.sent.get(clientSeq)?.timer.dispose();
    this.#live?.sent.delete(clientSeq);
    return this.#queue.take(clientSeq);
  }

  #notify(live: Live, method: string, params: unknown): void {
    live.connection.notify(method, params).catch((error: unknown) => {
      // What matters is in the queue and goes out again over the next connection.
      this.#deps.warn(`${method} was not sent: ${error instanceof Error ? error.message : 'unknown failure'}`);
    });
  }

  #notified(name: HostNotificationName, params: unknown): void {
    if (name === 'action') return this.#received(params);
    const judged = hostNotifications[name].params.safeParse(params);
    if (!judged.success) return this.#deps.warn(`the host sent a malformed ${name}: ${judged.error.message}`);
    if (name === 'x-switchboard/noticesChanged') this.#notices = (judged.data as { items: Notice[] }).items;
    if (name === 'root/sessionRemoved') this.#removed((judged.data as { session: string }).session);
    // Unknown members of a newer host stay, what it left out gets its default.
    this.#listeners.get(name)?.fire({ ...judged.data, ...(params as object) });
  }

  #received(params: unknown): void {
    const judged = parseEnvelope(params);
    if (!judged.success) return this.#broken(params, judged.error.message);
    const envelope = params as ActionEnvelope;
    const { origin, rejectionReason } = envelope;
    this.#subscriptions.get(envelope.channel)?.receive(envelope);
    if (origin?.clientId === this.#deps.clientId) {
      if (rejectionReason === undefined) this.#taken(origin.clientSeq);
      else this.#giveUp(origin.clientSeq, rejectionReason);
    }
    this.#listeners.get('action')?.fire(params);
  }

  #broken(params: unknown, why: string): void {
    this.#deps.warn(`the host sent a malformed action: ${why}`);
    const channel = typeof params === 'object' && params !== null && 'channel' in params ? params.channel : undefined;
    if (typeof channel === 'string') this.#subscriptions.get(channel)?.refresh('a malformed envelope');
  }

  #giveUp(clientSeq: number, reason: string): void {
    const dispatch = this.#taken(clientSeq);
    if (!dispatch) return;
    this.#subscriptions.get(dispatch.channel)?.forget(clientSeq);
    this.#rejected.fire({ ...dispatch, reason: this.#deps.translate(reason) });
  }

  /** The host dropped the channels of the session; it says so once, for the session. */
  #removed(session: string): void {
    const state = this.#subscriptions.get(session)?.state as { chats?: { resource: string }[] } | undefined;
    for (const uri of [session, ...(state?.chats ?? []).map((it) => it.resource)])
      this.#subscriptions.get(uri)?.clear();
  }

  #detach(reason: string): void {
    const live = this.#live;
    if (!live) return;
    this.#live = undefined;
    this.#notices = [];
    for (const it of live.parts) it.dispose();
    for (const { timer } of live.sent.values()) timer.dispose();
    for (const it of this.#subscriptions.values()) it.disconnect();
    live.requests.failAll(reason);
    this.#disconnected.fire(reason);
  }
}

interface Live {
  readonly connection: Connection;
  readonly handshake: InitializeResult;
  readonly requests: Requests;
  readonly parts: Disposable[];
  /** By `clientSeq` what was sent and is not answered. */
  readonly sent: Map<number, { readonly bytes: number; readonly timer: Disposable }>;
}
