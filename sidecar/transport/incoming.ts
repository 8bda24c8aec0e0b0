import { jsonRpcErrors } from '../protocol/jsonRpcErrors.ts';
import type { JsonRpcError, MessageId } from './judge.ts';

/** Answers the result, which may be a promise. `undefined` goes out as `null`. Throw to answer an error. */
export type RequestHandler = (params: unknown, context: RequestContext) => unknown;
export interface RequestContext {
  readonly method: string;
  readonly id: MessageId;
  /** Aborted by the peer's `$/cancelRequest` and when the connection closes. */
  readonly signal: AbortSignal;
}

export interface IncomingDeps {
  /** What a thrown value becomes on the wire. */
  readonly toError: (thrown: unknown, method: string) => JsonRpcError;
  readonly write: (message: object) => void;
  /** Most requests that may run at once. Default 1,000. */
  readonly maxRunning?: number;
}

/** Of the language server protocol, which vscode-languageclient understands. */
const REQUEST_CANCELLED = -32800;
const MAX_RUNNING = 1_000;

/** The peer's requests that run now. Each is answered exactly once, unless the connection closes before. */
export class IncomingRequests {
  readonly #deps: IncomingDeps;
  readonly #handlers = new Map<string, RequestHandler>();
  readonly #running = new Map<MessageId, AbortController>();

  constructor(deps: IncomingDeps) {
    this.#deps = deps;
  }

  add(handlers: Readonly<Record<string, RequestHandler>>): void {
    for (const [method, handler] of Object.entries(handlers)) this.#handlers.set(method, handler);
  }

  serve(method: string, id: MessageId, params: unknown): void {
    const handler = this.#handlers.get(method);
    if (!handler) {
      this.#fail(id, { code: jsonRpcErrors.methodNotFound, message: `unknown method: ${method.slice(0, 100)}` });
    } else if (this.#running.has(id)) {
      this.#fail(id, { code: jsonRpcErrors.invalidRequest, message: 'id is already in use' });
    } else if (this.#running.size >= (this.#deps.maxRunning ?? MAX_RUNNING)) {
      this.#fail(id, { code: jsonRpcErrors.invalidRequest, message: 'too many requests are in progress' });
    } else this.#run(handler, method, id, params);
  }

  cancel(id: MessageId): void {
    this.#running.get(id)?.abort();
  }

  abortAll(): void {
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const it of running) it.abort();
  }

  #run(handler: RequestHandler, method: string, id: MessageId, params: unknown): void {
    const abort = new AbortController();
    this.#running.set(id, abort);
    const fail = (thrown: unknown): void => {
      if (!this.#running.delete(id)) return;
      const cancelled = { code: REQUEST_CANCELLED, message: 'the request was canceled' };
      this.#fail(id, abort.signal.aborted ? cancelled : this.#deps.toError(thrown, method));
    };
    const succeed = (result: unknown): void => {
      if (!this.#running.has(id)) return;
      try {
        this.#deps.write({ jsonrpc: '2.0', id, result: result === undefined ? null : result });
        this.#running.delete(id);
      } catch (thrown) {
        fail(thrown); // a result that cannot be written as JSON
      }
    };
    try {
      const result = handler(params, { method, id, signal: abort.signal });
      if (result instanceof Promise) result.then(succeed, fail);
      else succeed(result);
    } catch (thrown) {
      fail(thrown);
    }
  }

  #fail(id: MessageId, error: JsonRpcError): void {
    this.#deps.write({ jsonrpc: '2.0', id, error });
  }
}
