import type {
  InitializeResult,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from '../../../../protocol/gateway/mcpWire.ts';
import { isOver } from '../failure.ts';
import { answerOf, replyOf } from '../replies.ts';
import type { StreamEvent } from '../streamEvent.ts';
import type { McpBackend, Reply, RequestOptions } from '../types.ts';
import { Unasked } from '../unasked.ts';
import { isLevel } from './logLevels.ts';
import type { SharedProcess } from './sharedProcess.ts';

/** One session's part of a shared process. To the client, it looks like a process of its own. */
export class Member implements McpBackend {
  readonly era = 'legacy';
  readonly sessionId = undefined;
  readonly process: SharedProcess;
  readonly caller: string;
  readonly unasked: Unasked;
  readonly #onClose: () => void;
  #hasLeft = false;

  constructor(process: SharedProcess, caller: string, onClose: () => void) {
    this.process = process;
    this.caller = caller;
    this.unasked = new Unasked(process.target);
    this.#onClose = onClose;
  }

  get hello(): InitializeResult | undefined {
    return this.process.hello;
  }

  get isClosed(): boolean {
    return this.#hasLeft || this.process.isClosed;
  }

  get isBusy(): boolean {
    return this.unasked.isListened || this.process.connection.newestOf(this) !== undefined;
  }

  leave(): void {
    this.#hasLeft = true;
    this.unasked.end();
  }

  async request(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    if (this.isClosed) throw isOver(this.process.target.name);
    const { method, params } = request;
    const refused = this.process.refusalOf(request);
    if (refused) return refused;
    if (method === 'logging/setLevel' && isLevel(params?.['level'])) return this.#setLevel(request, options);
    const uri = params?.['uri'];
    if (method === 'resources/subscribe' && typeof uri === 'string') return this.#subscribe(uri, request, options);
    if (method === 'resources/unsubscribe' && typeof uri === 'string') return this.#unsubscribe(uri, request, options);
    return this.process.connection.requestFor(this, request, options);
  }

  /** Leaves out messages that concern the process as a whole. */
  async send(message: RpcNotification | RpcResponse, options: RequestOptions): Promise<void> {
    if (this.isClosed) throw isOver(this.process.target.name);
    const own = 'method' in message ? this.#noteOf(message) : this.#answerOf(message);
    if (own) await this.process.connection.send(own, options);
  }

  async listen(_lastEventId: string | undefined, { signal }: RequestOptions): Promise<AsyncIterable<StreamEvent>> {
    const queue = this.unasked.listen(signal);
    if (this.isClosed) queue.end();
    return queue;
  }

  /** Leaves the process to the others. */
  async close(): Promise<void> {
    this.#onClose();
  }

  #answerOf(answer: RpcResponse): RpcResponse | undefined {
    const id = this.process.questions.answer(this, answer.id);
    return id === undefined ? undefined : { ...answer, id };
  }

  #noteOf(note: RpcNotification): RpcNotification | undefined {
    const { method, params } = note;
    // The gateway completes the handshake and cancels calls itself.
    if (method === 'notifications/initialized' || method === 'notifications/cancelled') return undefined;
    // The server would then request the roots while no call is in progress.
    if (method === 'notifications/roots/list_changed') return this.process.size === 1 ? note : undefined;
    if (method !== 'notifications/progress') return note;
    const progressToken = this.process.questions.progressTokenOf(this, params?.['progressToken']);
    return progressToken === undefined ? undefined : { ...note, params: { ...params, progressToken } };
  }

  async #setLevel(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    const { levels, connection, target } = this.process;
    const wanted = request.params?.['level'];
    if (isLevel(wanted)) levels.want(this, wanted);
    const level = levels.take();
    if (level === undefined) return done(request);
    try {
      const params = { ...request.params, level };
      const answer = await answerOf(await connection.requestFor(this, { ...request, params }, options), target.name);
      if (!('error' in answer)) return replyOf(answer);
      levels.refused();
      levels.leave(this);
      return replyOf(answer);
    } catch (thrown) {
      levels.refused();
      throw thrown;
    }
  }

  async #subscribe(uri: string, request: RpcRequest, options: RequestOptions): Promise<Reply> {
    const { subscribed, connection, target } = this.process;
    if (!subscribed.has(uri)) {
      const answer = await answerOf(await connection.requestFor(this, request, options), target.name);
      if ('error' in answer) return replyOf(answer);
    }
    if (!this.isClosed) subscribed.add(this, uri);
    return done(request);
  }

  async #unsubscribe(uri: string, request: RpcRequest, options: RequestOptions): Promise<Reply> {
    const { subscribed, connection } = this.process;
    return subscribed.remove(this, uri) ? connection.requestFor(this, request, options) : done(request);
  }
}

const done = ({ id }: RpcRequest): Reply => replyOf({ jsonrpc: '2.0', id, result: {} });
