import type { Duplex } from 'node:stream';
import type { Runtime } from '../platform/runtime.ts';
import { FrameLink, type FrameLinkOptions } from './frameLink.ts';
import { IncomingRequests, type RequestHandler } from './incoming.ts';
import type { JsonRpcError, JsonRpcMessage } from './judge.ts';
import type { MessageLink } from './link.ts';
import { type OutgoingOptions, OutgoingRequests } from './outgoing.ts';
import type { Refused } from './reader.ts';
import type { SharedNotification } from './wireText.ts';

export type NotificationHandler = (params: unknown) => void;
export interface PeerDeps extends Pick<Runtime, 'timers'> {
  /** What a thrown value becomes on the wire. It must never hold exception text, paths or tokens. */
  readonly toError: (thrown: unknown, method: string) => JsonRpcError;
  /** Hears what went wrong and cannot be answered (a broken stream, a response nobody asked for). For the log. */
  readonly onTrouble?: (trouble: { readonly what: string; readonly error?: unknown }) => void;
  /** Most requests of the peer that may run at once; more are refused. Default 1,000. */
  readonly maxRunning?: number;
  /** Runs `read`, which handles all messages that came at once: work that they share is done after it, once. */
  readonly aroundChunk?: (read: () => void) => void;
}

/**
 * One JSON-RPC 2.0 connection. Messages are handled in the tick in which they arrive and in order, so a
 * synchronous handler's answer is written before the next message is looked at.
 */
export class PeerConnection {
  readonly #link: MessageLink;
  readonly #deps: PeerDeps;
  readonly #incoming: IncomingRequests;
  readonly #notifications = new Map<string, NotificationHandler>();
  readonly #outgoing: OutgoingRequests;
  readonly #closeListeners = new Set<(reason: string) => void>();
  #closedBecause: string | undefined;

  constructor(link: MessageLink, deps: PeerDeps) {
    this.#link = link;
    this.#deps = deps;
    const { maxRunning } = deps;
    this.#incoming = new IncomingRequests({
      toError: deps.toError,
      write: (message) => this.#send(message),
      ...(maxRunning !== undefined && { maxRunning }),
    });
    this.#outgoing = new OutgoingRequests((message) => this.#send(message), deps.timers);
    this.#notifications.set('$/cancelRequest', (params) => this.#cancel(params));
  }

  /** A connection in `Content-Length` frames. */
  static overStream(stream: Duplex, deps: PeerDeps & Omit<FrameLinkOptions, 'timers'>): PeerConnection {
    return new PeerConnection(new FrameLink(stream, deps), deps);
  }

  /** Adds a table of handlers by method. A method without one is answered with -32601. */
  onRequest(handlers: Readonly<Record<string, RequestHandler>>): void {
    this.#incoming.add(handlers);
  }

  /** Adds a table of handlers by method. A notification without one is ignored. */
  onNotification(handlers: Readonly<Record<string, NotificationHandler>>): void {
    for (const [method, handler] of Object.entries(handlers)) this.#notifications.set(method, handler);
  }

  /** Called once, with the reason, also when the connection is closed already. @returns unsubscribes */
  onClose(listener: (reason: string) => void): () => void {
    if (this.#closedBecause !== undefined) listener(this.#closedBecause);
    else this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Starts reading. Register handlers first: nothing is kept for one that comes later. */
  listen(): void {
    const { aroundChunk = (read) => read() } = this.#deps;
    this.#link.listen({
      message: (message) => this.#receive(message),
      refused: (refused) => this.#refuse(refused),
      closed: (reason) => this.#finish(reason),
      trouble: (what, error) => this.#trouble(what, error),
      around: aroundChunk,
    });
  }

  get isClosed(): boolean {
    return this.#closedBecause !== undefined;
  }
  /** Bytes that the peer has not taken yet. */
  get queuedBytes(): number {
    return this.#link.queuedBytes;
  }

  sendNotification(method: string, params: object): boolean {
    return this.#send({ jsonrpc: '2.0', method, params });
  }

  /** A notification that others get too. @returns false when the connection is closed */
  sendShared(notification: SharedNotification): boolean {
    return this.#closedBecause === undefined && this.#link.writeShared(notification);
  }

  /**
   * @throws {ResponseError} the peer's error
   * @throws {Fault} `unavailable` when the time is up (default 30 s) or the connection closed
   */
  sendRequest(method: string, params: object, options: OutgoingOptions = {}): Promise<unknown> {
    return this.#outgoing.send(method, params, options, this.#closedBecause);
  }

  /** Sends what is waiting and ends the link. */
  close(reason = 'closed by us'): void {
    if (this.#closedBecause !== undefined) return;
    this.#link.close();
    this.#finish(reason);
  }

  #finish(reason: string): void {
    if (this.#closedBecause !== undefined) return;
    this.#closedBecause = reason;
    this.#outgoing.failAll(reason);
    this.#incoming.abortAll();
    for (const listener of this.#closeListeners) listener(reason);
    this.#closeListeners.clear();
  }

  #receive(message: JsonRpcMessage): void {
    if (this.#closedBecause !== undefined) return;
    if (!('method' in message)) {
      if (!this.#outgoing.settle(message)) this.#trouble('a response does not match any request');
    } else if ('id' in message) this.#incoming.serve(message.method, message.id, message.params);
    else this.#notified(message.method, message.params);
  }

  #notified(method: string, params: unknown): void {
    try {
      this.#notifications.get(method)?.(params);
    } catch (thrown) {
      this.#trouble(`the handler for ${method} failed`, thrown);
    }
  }

  #cancel(params: unknown): void {
    const id = (params as { id?: unknown } | undefined)?.id;
    if (typeof id === 'number' || typeof id === 'string') this.#incoming.cancel(id);
  }

  #refuse({ id, code, message, answer, fatal }: Refused): void {
    if (answer) this.#send({ jsonrpc: '2.0', id, error: { code, message } });
    else this.#trouble(`an invalid response: ${message}`);
    if (fatal) this.close(message);
  }

  #send(message: object): boolean {
    return this.#closedBecause === undefined && this.#link.write(message);
  }
  #trouble(what: string, error?: unknown): void {
    this.#deps.onTrouble?.({ what, ...(error !== undefined && { error }) });
  }
}
