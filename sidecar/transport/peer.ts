import type { Duplex } from 'node:stream';
import type { Runtime } from '../platform/runtime.ts';
import { IncomingRequests, type RequestHandler } from './incoming.ts';
import type { JsonRpcError, JsonRpcMessage } from './judge.ts';
import { type OutgoingOptions, OutgoingRequests } from './outgoing.ts';
import { FrameReader, type Refused } from './reader.ts';
import { FrameWriter } from './writer.ts';

export type NotificationHandler = (params: unknown) => void;
export interface PeerDeps extends Pick<Runtime, 'timers'> {
  /** What a thrown value becomes on the wire. It must never hold exception text, paths or tokens. */
  readonly toError: (thrown: unknown, method: string) => JsonRpcError;
  /** Hears what went wrong and cannot be answered (a broken stream, a response nobody asked for). For the log. */
  readonly onTrouble?: (trouble: { readonly what: string; readonly error?: unknown }) => void;
  /** Largest message that is read. Default 32 MB. */
  readonly maxMessageBytes?: number;
  /** Most bytes that may wait for a slow peer; beyond, the connection closes with reason `overflow`. Default 64 MB. */
  readonly maxQueueBytes?: number;
  /** Deepest nesting of a message. Default 128. */
  readonly maxDepth?: number;
  /** Most requests of the peer that may run at once; more are refused. Default 1,000. */
  readonly maxRunning?: number;
  /** Runs `read`, which handles all messages that came at once: work that they share is done after it, once. */
  readonly aroundChunk?: (read: () => void) => void;
}

/**
 * One JSON-RPC 2.0 connection over a stream. Messages are handled in the tick in which they arrive and in order, so a
 * synchronous handler's answer is written before the next message is looked at.
 */
export class PeerConnection {
  readonly #stream: Duplex;
  readonly #deps: PeerDeps;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  readonly #incoming: IncomingRequests;
  readonly #notifications = new Map<string, NotificationHandler>();
  readonly #outgoing: OutgoingRequests;
  readonly #closeListeners = new Set<(reason: string) => void>();
  #closedBecause: string | undefined;

  constructor(stream: Duplex, deps: PeerDeps) {
    this.#stream = stream;
    this.#deps = deps;
    const { maxMessageBytes, maxDepth, maxRunning } = deps;
    this.#reader = new FrameReader(stream, {
      ...(maxMessageBytes !== undefined && { maxBodyBytes: maxMessageBytes }),
      ...(maxDepth !== undefined && { maxDepth }),
    });
    this.#writer = new FrameWriter(stream, deps.maxQueueBytes ? { maxQueueBytes: deps.maxQueueBytes } : {});
    this.#incoming = new IncomingRequests({
      toError: deps.toError,
      write: (message) => this.#send(message),
      ...(maxRunning !== undefined && { maxRunning }),
    });
    this.#outgoing = new OutgoingRequests((message) => this.#send(message), deps.timers);
    this.#notifications.set('$/cancelRequest', (params) => this.#cancel(params));
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
    this.#reader.onRefused((refused) => this.#refuse(refused));
    this.#reader.onError((error) => this.#trouble('reading failed', error));
    this.#reader.onClose(() => this.close('the peer closed the connection'));
    this.#writer.onError(([error]) => this.#trouble('writing failed', error));
    this.#writer.onClose(() => this.#finish('the peer closed the connection'));
    this.#writer.onOverflow(() => this.#drop('overflow'));
    const { aroundChunk = (read) => read() } = this.#deps;
    this.#reader.listen(
      (message) => this.#receive(message as JsonRpcMessage),
      (read) => this.#writer.batch(() => aroundChunk(read)),
    );
  }

  get isClosed(): boolean {
    return this.#closedBecause !== undefined;
  }
  /** Bytes that the peer has not taken yet. */
  get queuedBytes(): number {
    return this.#writer.queuedBytes;
  }

  sendNotification(method: string, params: object): boolean {
    return this.#send({ jsonrpc: '2.0', method, params });
  }

  /** @param json a whole message, from {@link toNotificationText} or serialised once for many peers */
  sendNotificationRaw(json: string): boolean {
    return this.#closedBecause === undefined && this.#writer.writeRaw(json);
  }

  /**
   * @throws {ResponseError} the peer's error
   * @throws {Fault} `unavailable` when the time is up (default 30 s) or the connection closed
   */
  sendRequest(method: string, params: object, options: OutgoingOptions = {}): Promise<unknown> {
    return this.#outgoing.send(method, params, options, this.#closedBecause);
  }

  /** Sends what is waiting, ends the stream, and gives a peer that does not read one second. */
  close(reason = 'closed by us'): void {
    if (this.#closedBecause !== undefined) return;
    this.#writer.end();
    this.#finish(reason);
    this.#stream.once(
      'close',
      this.#deps.timers.after(1_000, () => this.#stream.destroy()),
    );
  }

  #drop(reason: string): void {
    this.#finish(reason);
    this.#stream.destroy();
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
      if (!this.#outgoing.settle(message)) this.#trouble('a response to no request of ours');
    } else if ('id' in message) this.#incoming.serve(message.method, message.id, message.params);
    else this.#notified(message.method, message.params);
  }

  #notified(method: string, params: unknown): void {
    try {
      this.#notifications.get(method)?.(params);
    } catch (thrown) {
      this.#trouble(`the handler of ${method} failed`, thrown);
    }
  }

  #cancel(params: unknown): void {
    const id = (params as { id?: unknown } | undefined)?.id;
    if (typeof id === 'number' || typeof id === 'string') this.#incoming.cancel(id);
  }

  #refuse({ id, code, message, answer, fatal }: Refused): void {
    if (answer) this.#send({ jsonrpc: '2.0', id, error: { code, message } });
    else this.#trouble(`a bad response: ${message}`);
    if (fatal) this.close(message);
  }

  #send(message: object): boolean {
    return this.sendNotificationRaw(JSON.stringify(message));
  }
  #trouble(what: string, error?: unknown): void {
    this.#deps.onTrouble?.({ what, ...(error !== undefined && { error }) });
  }
}

/** The text of a notification whose params are serialised already, so that log and wire share one `stringify`. */
export function toNotificationText(method: string, paramsJson: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${paramsJson}}`;
}
