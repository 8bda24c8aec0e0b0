import type { Runtime } from '../../../platform/runtime.ts';
import {
  type InitializeResult,
  type McpEra,
  mcpErrors,
  metaKeys,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../../protocol/gateway/mcpWire.ts';
import { readServerMessage } from '../../wire/answer.ts';
import { guardCall } from './callGuard.ts';
import type { EventQueue } from './eventQueue.ts';
import { type BackendFailure, endedEarly, garbled, isOver } from './failure.ts';
import { type ListChanged, noteListChange } from './opening/listChanges.ts';
import type { MessagePipe } from './pipe.ts';
import { type Renamed, renameIds } from './renameIds.ts';
import { eventOf, type StreamEvent } from './streamEvent.ts';
import { traced } from './traced.ts';
import type { McpBackend, McpTarget, Outbound, Reply, RequestOptions } from './types.ts';
import { eventQueue, Unasked } from './unasked.ts';

/** Messages outside calls, on a connection that several clients use. */
export interface UnaskedMessages {
  onMessage(read: Exclude<RpcMessage, { kind: 'response' }>, text: string): void;
  /** A call ended. */
  onSettled(): void;
  /** Once; nothing comes after it. */
  onEnd(): void;
}

export interface PipeConnectionDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly target: McpTarget;
  readonly era: McpEra;
  readonly isShared: boolean;
  readonly pipe: MessagePipe;
  /** With which the connection was opened: for answers that no caller sends. */
  readonly outbound: Outbound;
  /** Receives what {@link isShared} would otherwise refuse or drop. */
  readonly unasked?: UnaskedMessages;
  readonly onListChanged?: ListChanged;
}

interface Waiting {
  readonly renamed: Renamed;
  readonly queue: EventQueue;
  /** The client that it was sent for, if clients are distinguished. */
  readonly sender: object | undefined;
}

/** Requests and answers over a channel that knows no relation between messages: stdio and the older SSE. */
export class PipeConnection implements McpBackend {
  readonly era: McpEra;
  readonly sessionId = undefined;
  readonly #deps: PipeConnectionDeps;
  readonly #waiting = new Map<string, Waiting>();
  readonly #unasked: Unasked;
  #hello: InitializeResult | undefined;
  #closed: BackendFailure | undefined;
  #oddLines = 0;

  private constructor(deps: PipeConnectionDeps) {
    this.era = deps.era;
    this.#deps = deps;
    this.#unasked = new Unasked(deps.target);
  }

  /** @throws {BackendFailure} when the channel does not open */
  static async open(deps: PipeConnectionDeps): Promise<PipeConnection> {
    const connection = new PipeConnection(deps);
    await deps.pipe.open({
      onMessage: (text) => connection.#take(text),
      onClose: (failure) => connection.#end(failure),
    });
    return connection;
  }

  get hello(): InitializeResult | undefined {
    return this.#hello;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0 || this.#unasked.isListened;
  }

  adopt(hello: InitializeResult): void {
    this.#hello = hello;
  }

  request(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    return this.requestFor(undefined, request, options);
  }

  /** The clients that have calls in progress. Contains `undefined` if there are calls without a client. */
  get senders(): ReadonlySet<object | undefined> {
    return new Set([...this.#waiting.values()].map((it) => it.sender));
  }

  /** Where the newest call of one of them is answered. */
  newestOf(sender: object): EventQueue | undefined {
    return [...this.#waiting.values()].findLast((it) => it.sender === sender)?.queue;
  }

  async requestFor(sender: object | undefined, request: RpcRequest, options: RequestOptions): Promise<Reply> {
    if (this.#closed) throw isOver(this.#deps.target.name);
    const { target, timers, newId, pipe } = this.#deps;
    const renamed = renameIds(traced(request, options.outbound), newId());
    const queue = eventQueue(target);
    this.#waiting.set(renamed.id, { renamed, queue, sender });
    const guard = guardCall(timers, target, options.signal, { isOpenEnded: options.isOpenEnded });
    guard.signal.addEventListener('abort', () => queue.end(guard.failure(guard.signal.reason)), { once: true });
    const done = (isAnswered: boolean) => {
      guard.end();
      if (!this.#waiting.delete(renamed.id)) return;
      if (!isAnswered) this.#cancel(renamed.id, options.outbound);
      this.#deps.unasked?.onSettled();
    };
    try {
      await pipe.send(renamed.text, options.outbound, guard.signal);
      const events = queue[Symbol.asyncIterator]();
      const first = await events.next();
      if (first.done) throw endedEarly(target.name);
      guard.received();
      const { message: read, data } = first.value;
      if (read?.kind === 'response') {
        done(true);
        return { kind: 'message', status: 200, text: data.toString(), message: read.message };
      }
      return { kind: 'stream', events: rest(first.value, events, guard.received, done) };
    } catch (thrown) {
      done(false);
      throw guard.failure(thrown);
    }
  }

  async send(message: RpcNotification | RpcResponse, options: RequestOptions): Promise<void> {
    if (this.#closed) throw isOver(this.#deps.target.name);
    await this.#deps.pipe.send(JSON.stringify(message), options.outbound, options.signal);
  }

  async listen(_lastEventId: string | undefined, { signal }: RequestOptions): Promise<AsyncIterable<StreamEvent>> {
    const queue = this.#unasked.listen(signal);
    if (this.#closed) queue.end();
    return Promise.resolve(queue);
  }

  async close(): Promise<void> {
    this.#end(endedEarly(this.#deps.target.name));
    await this.#deps.pipe.close();
  }

  #take(text: string): void {
    const read = readServerMessage(text);
    if (!read) {
      this.#notMcp();
      return;
    }
    if (read === 'ambiguous') {
      // Whose answer it is cannot be known, so every call would wait in vain.
      this.#giveUp();
      return;
    }
    noteListChange(read, this.#deps);
    const call = this.#callOf(read.message);
    if (call) {
      call.queue.push(eventOf(call.renamed.restoreIn(read), call.renamed.restore(text)));
      if (read.kind === 'response') call.queue.end();
      return;
    }
    // The answer to a call that its caller gave up, or progress on it, whose token only this connection knows.
    if (read.kind === 'response' || read.message.method === 'notifications/progress') return;
    if (this.#deps.unasked) {
      this.#deps.unasked.onMessage(read, text);
      return;
    }
    if (this.#deps.isShared) {
      if (read.kind === 'request') this.refuse(read.message);
      return;
    }
    this.#unasked.pass(eventOf(read, text), [...this.#waiting.values()].at(-1)?.queue);
  }

  /** Programs print a line or two that is not theirs to print; one that only does that is not a server. */
  #notMcp(): void {
    this.#oddLines += 1;
    if (this.#oddLines > 100) this.#giveUp();
  }

  #giveUp(): void {
    void this.#deps.pipe.close();
    this.#end(garbled(this.#deps.target.name));
  }

  #callOf(message: RpcRequest | RpcNotification | RpcResponse): Waiting | undefined {
    if (!('method' in message)) return this.#waiting.get(String(message.id));
    if (message.method === 'notifications/progress') {
      const token = message.params?.['progressToken'];
      return [...this.#waiting.values()].find((it) => it.renamed.progressToken === token && token !== undefined);
    }
    const meta = message.params?.['_meta'];
    const subscription =
      typeof meta === 'object' && meta !== null
        ? (meta as Record<string, unknown>)[metaKeys.subscriptionId]
        : undefined;
    return typeof subscription === 'string' ? this.#waiting.get(subscription) : undefined;
  }

  /** Answers a request of the server that cannot be passed on to a client. */
  refuse(
    request: RpcRequest,
    message = 'No client can answer this request.',
    code: number = mcpErrors.methodNotFound,
  ): void {
    const answer: RpcResponse =
      request.method === 'ping'
        ? { jsonrpc: '2.0', id: request.id, result: {} }
        : { jsonrpc: '2.0', id: request.id, error: { code, message } };
    this.#send(answer, this.#deps.outbound);
  }

  #cancel(requestId: RpcId, outbound: Outbound): void {
    this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, outbound);
  }

  #send(message: RpcNotification | RpcResponse, outbound: Outbound): void {
    const { pipe, timers } = this.#deps;
    const sent = pipe.send(JSON.stringify(message), outbound, timers.deadline(5_000));
    sent.catch(() => undefined); // nobody waits for it, and `onClose` reports that the channel is closed
  }

  #end(failure: BackendFailure): void {
    if (this.#closed) return;
    this.#closed = failure;
    for (const { queue } of this.#waiting.values()) queue.end(failure);
    this.#waiting.clear();
    this.#unasked.end();
    this.#deps.unasked?.onEnd();
  }
}

async function* rest(
  first: StreamEvent,
  events: AsyncIterator<StreamEvent>,
  onEvent: () => void,
  done: (isAnswered: boolean) => void,
): AsyncGenerator<StreamEvent> {
  let isAnswered = false;
  try {
    yield first;
    for (let next = await events.next(); !next.done; next = await events.next()) {
      onEvent();
      isAnswered = next.value.message?.kind === 'response';
      yield next.value;
      if (isAnswered) return;
    }
  } finally {
    done(isAnswered);
  }
}
