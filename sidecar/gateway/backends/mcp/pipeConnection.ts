import type { Runtime } from '../../../platform/runtime.ts';
import {
  type InitializeResult,
  type McpEra,
  mcpErrors,
  metaKeys,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../../protocol/gateway/mcpWire.ts';
import { readServerMessage } from '../../wire/answer.ts';
import { guardCall } from './callGuard.ts';
import { EventQueue } from './eventQueue.ts';
import { type BackendFailure, endedEarly, garbled, isOver, tooLarge } from './failure.ts';
import type { MessagePipe } from './pipe.ts';
import { type Renamed, renameIds } from './renameIds.ts';
import { eventOf, type StreamEvent } from './streamEvent.ts';
import type { McpBackend, McpTarget, Outbound, Reply, RequestOptions } from './types.ts';

export interface PipeConnectionDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly target: McpTarget;
  readonly era: McpEra;
  readonly isShared: boolean;
  readonly pipe: MessagePipe;
  /** With which the connection was opened: for answers that no caller sends. */
  readonly outbound: Outbound;
}

interface Waiting {
  readonly renamed: Renamed;
  readonly queue: EventQueue;
}

/** How many messages that nobody listens to yet are kept for the next listener, together no larger than one answer. */
const maxKept = 64;

/** Requests and answers over a channel that knows no relation between messages: stdio and the older SSE. */
export class PipeConnection implements McpBackend {
  readonly era: McpEra;
  readonly sessionId = undefined;
  readonly #deps: PipeConnectionDeps;
  readonly #waiting = new Map<string, Waiting>();
  #kept: StreamEvent[] = [];
  #keptBytes = 0;
  #listener: EventQueue | undefined;
  #hello: InitializeResult | undefined;
  #closed: BackendFailure | undefined;
  #oddLines = 0;

  private constructor(deps: PipeConnectionDeps) {
    this.era = deps.era;
    this.#deps = deps;
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
    return this.#waiting.size > 0 || this.#listener !== undefined;
  }

  adopt(hello: InitializeResult): void {
    this.#hello = hello;
  }

  async request(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    if (this.#closed) throw isOver(this.#deps.target.name);
    const { target, timers, newId, pipe } = this.#deps;
    const renamed = renameIds(request, newId());
    const queue = this.#queue();
    this.#waiting.set(renamed.id, { renamed, queue });
    const guard = guardCall(timers, target, options.signal, options.isOpenEnded);
    guard.signal.addEventListener('abort', () => queue.end(guard.failure(guard.signal.reason)), { once: true });
    const done = (isAnswered: boolean) => {
      guard.end();
      if (this.#waiting.delete(renamed.id) && !isAnswered) this.#cancel(renamed.id, options.outbound);
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
    this.#listener?.end();
    const queue = this.#queue();
    this.#listener = queue;
    if (this.#closed) queue.end();
    for (const event of this.#kept.splice(0)) queue.push(event);
    this.#keptBytes = 0;
    const leave = () => {
      queue.end();
      if (this.#listener === queue) this.#listener = undefined;
    };
    signal.addEventListener('abort', leave, { once: true });
    queue.onLeft = leave;
    return Promise.resolve(queue);
  }

  async close(): Promise<void> {
    this.#end(endedEarly(this.#deps.target.name));
    await this.#deps.pipe.close();
  }

  #queue(): EventQueue {
    const { target } = this.#deps;
    const maxBytes = target.maxResponseBytes * 2;
    return new EventQueue(maxBytes, () => tooLarge(target.name, maxBytes));
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
    const call = this.#callOf(read.message);
    if (call) {
      call.queue.push(eventOf(call.renamed.restoreIn(read), call.renamed.restore(text)));
      if (read.kind === 'response') call.queue.end();
      return;
    }
    if (read.kind === 'response') return; // the answer to a call that its caller gave up
    if (this.#deps.isShared) {
      if (read.kind === 'request') this.#refuse(read.message);
      return;
    }
    this.#pass(eventOf(read, text));
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

  /** To whoever listens; else along with the newest call, where a client receives it as well; else kept for a while. */
  #pass(event: StreamEvent): void {
    const queue = this.#listener ?? [...this.#waiting.values()].at(-1)?.queue;
    if (queue) {
      queue.push(event);
      return;
    }
    const bytes = this.#keptBytes + event.data.length;
    if (this.#kept.length >= maxKept || bytes > this.#deps.target.maxResponseBytes) return;
    this.#kept.push(event);
    this.#keptBytes = bytes;
  }

  #refuse(request: RpcRequest): void {
    const answer: RpcResponse =
      request.method === 'ping'
        ? { jsonrpc: '2.0', id: request.id, result: {} }
        : {
            jsonrpc: '2.0',
            id: request.id,
            error: { code: mcpErrors.methodNotFound, message: 'No client can answer this request.' },
          };
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
    this.#listener?.end();
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
