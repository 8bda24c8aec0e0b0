import type { Runtime } from '../../../platform/runtime.ts';
import type {
  InitializeResult,
  McpEra,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from '../../../protocol/gateway/mcpWire.ts';
import { readServerMessage } from '../../wire/answer.ts';
import { wholeText } from '../net/answerBody.ts';
import { type CallGuard, guardCall } from './callGuard.ts';
import { discard, headerOf, readEvents } from './eventStream.ts';
import { BackendFailure, endedEarly, garbled, isOver, toFailure, tooLarge } from './failure.ts';
import { type ListChanged, noteListChange } from './opening/listChanges.ts';
import { type Renamed, renameIds } from './renameIds.ts';
import { standardHeaders } from './standardHeaders.ts';
import { MessageText, type StreamEvent } from './streamEvent.ts';
import { traced } from './traced.ts';
import type { HttpResponse, McpBackend, McpTarget, Outbound, Reply, RequestOptions } from './types.ts';

export interface HttpConnectionDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly target: McpTarget;
  readonly era: McpEra;
  readonly isShared: boolean;
  readonly onListChanged?: ListChanged;
}

/** The headers of the last message, and what they were made from. There is one handshake per connection. */
interface LastHeaders {
  readonly own: NonNullable<RequestOptions['headers']>;
  readonly sessionId: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Streamable HTTP of both eras: a POST for each message, answered by JSON or by a stream of events. */
export class HttpConnection implements McpBackend {
  readonly era: McpEra;
  readonly #deps: HttpConnectionDeps;
  readonly #url: string;
  #hello: InitializeResult | undefined;
  #sessionId: string | undefined;
  #isClosed = false;
  #underWay = 0;
  /** Cancellations that are being sent. The session must not end before they arrive. */
  readonly #cancelling = new Set<Promise<void>>();
  #last: Outbound | undefined;
  #lastHeaders: LastHeaders | undefined;

  /** @throws {BackendFailure} `not_allowed` for a server without an address */
  constructor(deps: HttpConnectionDeps) {
    this.era = deps.era;
    this.#deps = deps;
    if (deps.target.url === undefined) {
      throw new BackendFailure('not_allowed', `The MCP server '${deps.target.name}' has no URL.`, {
        mayHaveRun: false,
      });
    }
    this.#url = deps.target.url;
  }

  get hello(): InitializeResult | undefined {
    return this.#hello;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** Goes on with a session that was negotiated earlier, for example before the gateway was started again. */
  adopt(hello: InitializeResult, sessionId: string | undefined): void {
    this.#hello = hello;
    this.#sessionId = sessionId;
    this.#lastHeaders = undefined;
  }

  async request(asked: RpcRequest, options: RequestOptions): Promise<Reply> {
    const request = traced(asked, options.outbound);
    const { target, isShared, timers, newId } = this.#deps;
    if (this.#isClosed) throw isOver(target.name);
    const renamed = isShared ? renameIds(request, newId()) : undefined;
    const id = renamed?.id ?? request.id;
    const cancelUpstream = this.#cancellerOf(id, options.outbound);
    // Cancels at once, because the session may end right after this.
    const { isOpenEnded } = options;
    const guard = guardCall(timers, target, options.signal, { isOpenEnded, onAborted: cancelUpstream });
    this.#underWay += 1;
    try {
      const text = renamed?.text ?? JSON.stringify(request);
      const response = await this.#post(text, request, options, guard.signal);
      if (this.#isRefusedSession(response)) throw await this.#lost(response);
      if (request.method === 'initialize') this.#sessionId = headerOf(response, 'mcp-session-id');
      if (isEventStream(response)) {
        return { kind: 'stream', events: this.#events(response, id, guard, renamed, cancelUpstream) };
      }
      if (response.status === 401 || response.status === 403) {
        await discard(response);
        throw refused(target.name, response);
      }
      const answered = await wholeText(response.body, target.maxResponseBytes);
      guard.end();
      return this.#message(response, answered, id, renamed);
    } catch (thrown) {
      guard.end();
      throw guard.failure(thrown);
    } finally {
      this.#underWay -= 1;
    }
  }

  async send(message: RpcNotification | RpcResponse, options: RequestOptions): Promise<void> {
    const { target, timers } = this.#deps;
    const guard = guardCall(timers, target, options.signal);
    try {
      const response = await this.#post(JSON.stringify(message), undefined, options, guard.signal);
      await discard(response);
      if (this.#isRefusedSession(response)) throw sessionLost(this.#deps.target.name);
      if (response.status >= 400) throw refused(this.#deps.target.name, response);
    } catch (thrown) {
      throw guard.failure(thrown);
    } finally {
      guard.end();
    }
  }

  async listen(
    lastEventId: string | undefined,
    options: RequestOptions,
  ): Promise<AsyncIterable<StreamEvent> | undefined> {
    if (this.era === 'modern') return undefined; // `subscriptions/listen` is a request there
    this.#last = options.outbound;
    const headers = {
      accept: 'text/event-stream',
      ...this.#sessionHeaders(),
      ...options.headers,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    let response: HttpResponse;
    try {
      response = await options.outbound.send(
        { method: 'GET', url: this.#url, headers, ...(options.onSent && { onSent: options.onSent }) },
        options.signal,
      );
    } catch (thrown) {
      throw toFailure(thrown, this.#deps.target.name);
    }
    if (response.status === 200 && isEventStream(response)) return this.#serverEvents(response);
    await discard(response);
    if (this.#isRefusedSession(response)) throw sessionLost(this.#deps.target.name);
    return undefined;
  }

  async close(isKept = false): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (isKept) return;
    if (this.#sessionId === undefined || !this.#last) return;
    await Promise.all(this.#cancelling);
    try {
      const request = { method: 'DELETE', url: this.#url, headers: this.#sessionHeaders() } as const;
      await discard(await this.#last.send(request, this.#deps.timers.deadline(2_000)));
    } catch {
      // The server is gone or does not end sessions: it will forget this one by itself.
    }
  }

  #post(
    text: string,
    request: RpcRequest | undefined,
    options: RequestOptions,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    this.#last = options.outbound;
    const headers = this.#headersOf(request, options.headers);
    return options.outbound.send({ method: 'POST', url: this.#url, headers, body: text }, signal);
  }

  /** All legacy calls of a session are sent with the same headers, so they share one object. */
  #headersOf(request: RpcRequest | undefined, own: RequestOptions['headers']): Readonly<Record<string, string>> {
    if (own && this.#lastHeaders?.own === own && this.#lastHeaders.sessionId === this.#sessionId)
      return this.#lastHeaders.headers;
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    this.#addSessionHeaders(headers);
    if (this.era === 'modern' && request) Object.assign(headers, standardHeaders(request));
    Object.assign(headers, own);
    if (own && this.era === 'legacy' && this.#hello) this.#lastHeaders = { own, sessionId: this.#sessionId, headers };
    return headers;
  }

  #sessionHeaders(): Record<string, string> {
    const headers = {};
    this.#addSessionHeaders(headers);
    return headers;
  }

  #addSessionHeaders(headers: Record<string, string>): void {
    if (this.#sessionId !== undefined) headers['mcp-session-id'] = this.#sessionId;
    if (this.#hello && this.#hello.protocolVersion > '2025-03-26')
      headers['mcp-protocol-version'] = this.#hello.protocolVersion;
  }

  #isRefusedSession(response: HttpResponse): boolean {
    return response.status === 404 && this.#sessionId !== undefined;
  }

  async #lost(response: HttpResponse): Promise<BackendFailure> {
    await discard(response);
    this.#isClosed = true;
    return sessionLost(this.#deps.target.name);
  }

  /** @param text of the whole answer; `undefined` where it is too long */
  #message(
    response: HttpResponse,
    text: string | undefined,
    id: RpcRequest['id'],
    renamed: Renamed | undefined,
  ): Reply {
    const { target } = this.#deps;
    if (text === undefined) throw tooLarge(target.name, target.maxResponseBytes);
    const read = readServerMessage(text);
    if (read === 'ambiguous') throw garbled(target.name);
    if (read?.kind === 'response' && isAnswerTo(read.message, id)) {
      const { message } = renamed?.restoreIn(read) ?? read;
      return { kind: 'message', status: response.status, text: renamed?.restore(text) ?? text, message };
    }
    if (response.status >= 300) throw refused(target.name, response);
    throw garbled(target.name);
  }

  /** Messages that the server sends unasked, for as long as somebody reads them. */
  async *#serverEvents(response: HttpResponse): AsyncGenerator<StreamEvent> {
    this.#underWay += 1;
    try {
      for await (const { data, ...event } of readEvents(response.body, this.#deps.target)) {
        const read = readServerMessage(data);
        noteListChange(read, this.#deps);
        yield { ...event, message: read === 'ambiguous' ? undefined : read, data: new MessageText(data) };
      }
    } finally {
      this.#underWay -= 1;
    }
  }

  async *#events(
    response: HttpResponse,
    id: RpcRequest['id'],
    guard: CallGuard,
    renamed: Renamed | undefined,
    cancelUpstream: () => void,
  ): AsyncGenerator<StreamEvent> {
    const { target } = this.#deps;
    let isAnswered = false;
    // In a session, a stream that ends without any event does not mean that the call failed.
    let canResume = this.era === 'legacy';
    let hasId = false;
    this.#underWay += 1;
    try {
      for await (const { data, ...event } of readEvents(response.body, target)) {
        guard.received();
        hasId ||= event.id !== undefined;
        canResume = hasId;
        if (data === '') {
          yield { ...event, message: undefined, data: new MessageText(data) };
          continue;
        }
        const read = readServerMessage(data);
        if (!read || read === 'ambiguous') throw garbled(target.name);
        noteListChange(read, this.#deps);
        isAnswered = read.kind === 'response' && isAnswerTo(read.message, id);
        const message = renamed?.restoreIn(read) ?? read;
        yield { ...event, message, data: new MessageText(renamed?.restore(data) ?? data) };
        if (isAnswered) return;
      }
      if (!canResume || this.#deps.isShared) throw endedEarly(target.name);
      isAnswered = true; // the caller resumes by itself
    } catch (thrown) {
      isAnswered = true;
      throw guard.failure(thrown);
    } finally {
      this.#underWay -= 1;
      guard.end();
      if (!isAnswered) cancelUpstream();
    }
  }

  /** Cancels once. In the legacy era a closed stream cancels nothing: the server needs a notification. */
  #cancellerOf(requestId: RpcRequest['id'], outbound: Outbound): () => void {
    let isCancelled = false;
    return () => {
      if (isCancelled || this.era === 'modern' || !this.#hello) return;
      isCancelled = true;
      const message: RpcNotification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
      const sent = this.send(message, { outbound, signal: this.#deps.timers.deadline(5_000) })
        .catch(() => undefined) // a server that does not respond has nothing to cancel
        .finally(() => this.#cancelling.delete(sent));
      this.#cancelling.add(sent);
    };
  }
}

function isAnswerTo(message: RpcResponse, id: RpcRequest['id']): boolean {
  return message.id === id || ('error' in message && (message.id === null || message.id === undefined));
}

function isEventStream(response: HttpResponse): boolean {
  return response.status === 200 && (headerOf(response, 'content-type') ?? '').startsWith('text/event-stream');
}

const sessionLost = (name: string) =>
  new BackendFailure('session_lost', `The MCP server '${name}' no longer recognizes this session.`, {
    mayHaveRun: false,
  });

const refused = (name: string, response: HttpResponse) =>
  new BackendFailure('status', `The MCP server '${name}' returned HTTP status ${response.status}.`, {
    mayHaveRun: response.status >= 500,
    status: response.status,
    challenge: headerOf(response, 'www-authenticate'),
  });
