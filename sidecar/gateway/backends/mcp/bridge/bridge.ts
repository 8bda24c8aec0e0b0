import type { Runtime } from '../../../../platform/runtime.ts';
import {
  type InitializeResult,
  mcpErrors,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../../../protocol/gateway/mcpWire.ts';
import { guardCall } from '../callGuard.ts';
import { isOver } from '../failure.ts';
import { type Item, listAll } from '../listAll.ts';
import { eventsOf, replyOf } from '../replies.ts';
import { eventOf, type StreamEvent } from '../streamEvent.ts';
import type { Introduction, McpBackend, McpTarget, Outbound, Reply, RequestOptions } from '../types.ts';
import { BridgeSubscription } from './bridgeSubscription.ts';
import {
  capabilityFor,
  type InputRequired,
  inputRequired,
  legacyAnswer,
  modernRequest,
  paramHeaders,
} from './translate.ts';

export interface BridgeDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly target: McpTarget;
  readonly introduction: Introduction;
  readonly hello: InitializeResult;
  /** Opens the connection of the modern era, which sessions share. @throws {BackendFailure} */
  readonly connect: (outbound: Outbound) => Promise<McpBackend>;
}

/** How often a server may ask for input during one call. */
const maxRounds = 16;
/** The delay before a request is repeated for a server that requires no input. */
const againMs = 1_000;

/**
 * Connects a client of the legacy era to a server that only speaks the modern era (MCP 2026-07-28). The client has a session,
 * and the server has none. Each request introduces the client. If a call requires input, the client is asked for it on the
 * stream of that call.
 */
export class Bridge implements McpBackend {
  readonly era = 'legacy';
  readonly sessionId = undefined;
  readonly hello: InitializeResult;
  readonly #deps: BridgeDeps;
  readonly #subscription: BridgeSubscription;
  readonly #questions = new Map<RpcId, (answer: RpcResponse) => void>();
  #logLevel: string | undefined;
  #tools: Promise<readonly Item[]> | undefined;
  #underWay = 0;
  #isClosed = false;

  constructor(deps: BridgeDeps) {
    this.hello = deps.hello;
    this.#deps = deps;
    this.#subscription = new BridgeSubscription({
      ...deps,
      introduced: (request) => modernRequest(request, deps.introduction.params, this.#logLevel),
      onToolsChanged: () => {
        this.#tools = undefined;
      },
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isBusy(): boolean {
    return this.#underWay > 0 || this.#subscription.isListened;
  }

  async request(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    if (this.#isClosed) throw isOver(this.#deps.target.name);
    const { method, params } = request;
    const uri = params?.['uri'];
    if (method === 'logging/setLevel' && typeof params?.['level'] === 'string') this.#logLevel = params['level'];
    else if (method === 'resources/subscribe' && typeof uri === 'string') this.#subscription.add(uri);
    else if (method === 'resources/unsubscribe' && typeof uri === 'string') this.#subscription.remove(uri);
    else return this.#ask(request, options);
    return replyOf({ jsonrpc: '2.0', id: request.id, result: {} });
  }

  /** Takes answers to questions. In the modern era, clients send nothing else outside requests. */
  async send(message: RpcNotification | RpcResponse): Promise<void> {
    if (!('method' in message) && message.id !== null && message.id !== undefined)
      this.#questions.get(message.id)?.(message);
  }

  async listen(_lastEventId: string | undefined, options: RequestOptions): Promise<AsyncIterable<StreamEvent>> {
    return this.#subscription.listen(options);
  }

  /** Leaves the connection open for other sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#subscription.close();
  }

  async #ask(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    this.#underWay += 1;
    try {
      const reply = await this.#forward(request, options);
      // Always status 200, because clients of the legacy era read other statuses as the end of their session.
      if (reply.kind === 'message' && !inputRequired(reply.message)) return replyOf(legacyAnswer(reply.message));
      return { kind: 'stream', events: this.#rounds(request, options, reply) };
    } finally {
      this.#underWay -= 1;
    }
  }

  async #forward(
    request: RpcRequest,
    { outbound, signal }: RequestOptions,
    more?: Readonly<Record<string, unknown>>,
  ): Promise<Reply> {
    const backend = await this.#deps.connect(outbound);
    const headers = await this.#headersFor(request, backend, { outbound, signal });
    const { introduction } = this.#deps;
    const outgoing = modernRequest(request, introduction.params, this.#logLevel, more);
    return backend.request(outgoing, { outbound, signal, headers });
  }

  /** Repeats the request with the client's input until the server answers. */
  async *#rounds(request: RpcRequest, options: RequestOptions, first: Reply): AsyncGenerator<StreamEvent> {
    this.#underWay += 1;
    try {
      let reply = first;
      for (let round = 0; round < maxRounds; round += 1) {
        let wanted: InputRequired | undefined;
        for await (const event of eventsOf(reply)) {
          const read = event.message;
          wanted = read?.kind === 'response' ? inputRequired(read.message) : undefined;
          if (wanted) break;
          yield read?.kind === 'response'
            ? { ...event, ...eventOf({ kind: 'response', message: legacyAnswer(read.message) }) }
            : event;
        }
        if (!wanted) return;
        const refusal = this.#refusalOf(wanted);
        const answers = refusal === undefined ? yield* this.#questioned(wanted, options) : refusal;
        if (typeof answers === 'string') {
          yield eventOf({ kind: 'response', message: failed(request, answers) });
          return;
        }
        const { requestState } = wanted;
        reply = await this.#forward(request, options, {
          inputResponses: answers,
          ...(requestState !== undefined && { requestState }),
        });
      }
      yield eventOf({ kind: 'response', message: failed(request, 'The MCP server asked for input too often.') });
    } finally {
      this.#underWay -= 1;
    }
  }

  #refusalOf({ inputRequests }: InputRequired): string | undefined {
    const { isShared, params } = this.#deps.introduction;
    const unknown = Object.values(inputRequests).find(({ method }) => {
      const capability = Object.hasOwn(capabilityFor, method) ? capabilityFor[method] : undefined;
      return isShared || capability === undefined || params.capabilities[capability] === undefined;
    });
    return unknown && `The MCP server needs ${unknown.method}, which the client does not support.`;
  }

  /** Asks the client. @returns its answers, or a sentence about why there are none */
  async *#questioned(
    { inputRequests }: InputRequired,
    options: RequestOptions,
  ): AsyncGenerator<StreamEvent, Readonly<Record<string, unknown>> | string> {
    const { timers, target, newId } = this.#deps;
    const guard = guardCall(timers, target, options.signal);
    const entries = Object.entries(inputRequests);
    if (entries.length === 0) {
      await new Promise<void>((resolve) => {
        timers.after(againMs, resolve);
        guard.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    const asked: RpcId[] = [];
    try {
      const answers: Promise<readonly [string, RpcResponse]>[] = [];
      for (const [key, { method, params }] of entries) {
        const id = `bq-${newId()}`;
        asked.push(id);
        const answer = new Promise<RpcResponse>((resolve, reject) => {
          this.#questions.set(id, resolve);
          guard.signal.addEventListener('abort', () => reject(guard.failure(undefined)), { once: true });
        }).then((it) => [key, it] as const);
        answer.catch(() => undefined); // it may fail before all are asked
        answers.push(answer);
        const own = params?.['mode'] === 'url' && { elicitationId: id };
        yield eventOf({
          kind: 'request',
          message: { jsonrpc: '2.0', id, method, ...(params && { params: { ...own, ...params } }) },
        });
      }
      const all = await Promise.all(answers);
      for (const [, answer] of all)
        if ('error' in answer) return `The client did not provide the input: ${answer.error.message}`;
      return Object.fromEntries(all.map(([key, answer]) => [key, 'result' in answer ? answer.result : {}]));
    } finally {
      guard.end();
      for (const id of asked) this.#questions.delete(id);
    }
  }

  /** Only the modern era repeats arguments in headers, so clients of the legacy era cannot do it. */
  async #headersFor(
    { method, params }: RpcRequest,
    backend: McpBackend,
    options: RequestOptions,
  ): Promise<Readonly<Record<string, string>>> {
    const { target, introduction } = this.#deps;
    if (method !== 'tools/call' || target.transport !== 'http') return {};
    const isNamed = (it: Item) => it['name'] === params?.['name'];
    const known = (await this.#tools)?.find(isNamed);
    if (known) return paramHeaders(known, params?.['arguments']);
    const meta = modernRequest({ jsonrpc: '2.0', id: '', method }, introduction.params, undefined).params?.['_meta'];
    this.#tools = listAll(backend, target.name, 'tools/list', { ...options, meta }).catch(() => []);
    return paramHeaders((await this.#tools).find(isNamed), params?.['arguments']);
  }
}

const failed = ({ id, method }: RpcRequest, words: string): RpcResponse =>
  method === 'tools/call'
    ? { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `Error: ${words}` }], isError: true } }
    : { jsonrpc: '2.0', id, error: { code: mcpErrors.internal, message: words } };
