import { Fault } from '../../platform/faults.ts';
import { type A2aRequest, a2aErrors } from '../../protocol/gateway/a2aWire.ts';
import { shownName } from '../wire/fold.ts';

/** A JSON-RPC error. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RefusalOptions {
  /**
   * The status of the HTTP response. Default: 200, which JSON-RPC and A2A clients require to read the error. Other statuses
   * are for requests that are refused before the call is read.
   */
  readonly status?: number;
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message in the record. Default: the caller's message. */
  readonly recorded?: string;
}

/** An error response of the A2A protocol. The routes throw it, and the front turns it into a response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Of JSON-RPC, as the record holds it. */
  readonly code: string;
  readonly #id: unknown;
  readonly error: RpcError;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param id of the request; null if it could not be read */
  constructor(code: number, message: string, id: unknown, { status, data, headers, recorded }: RefusalOptions = {}) {
    super(recorded ?? message);
    this.code = `${code}`;
    this.error = { code, message, ...(data !== undefined && { data }) };
    this.#id = id ?? null;
    this.status = status ?? 200;
    this.headers = headers ?? {};
  }

  get body(): object {
    return { jsonrpc: '2.0', id: this.#id, error: this.error };
  }

  toResponse(): Response {
    return Response.json(this.body, { status: this.status, headers: this.headers });
  }
}

export const invalidRequest = (words: string, id?: unknown): Refusal =>
  new Refusal(a2aErrors.invalidRequest, `Invalid request: ${words}`, id);

export const invalidParams = (words: string, id?: unknown): Refusal =>
  new Refusal(a2aErrors.invalidParams, `Invalid params: ${words}`, id);

export const noSuchAgent = (id?: unknown): Refusal =>
  new Refusal(a2aErrors.noAgent, 'A2A agent not found.', id, { status: 404 });

/**
 * The refusal for a task or context of another caller, and for one that no caller got through this gateway. Both are
 * alike, so that nobody learns what others have (`security.foreign-conversation`).
 * @param isProtobuf for A2A 1.0, in which errors have details
 */
export const noSuchTask = (id: unknown, isProtobuf: boolean): Refusal =>
  new Refusal(a2aErrors.taskNotFound, 'Task not found', id, {
    recorded: 'refused: the task or context does not belong to the caller',
    ...(isProtobuf && { data: [errorInfo('TASK_NOT_FOUND')] }),
  });

export const noSuchMethod = ({ id, method }: A2aRequest): Refusal =>
  new Refusal(a2aErrors.methodNotFound, `Method not found: ${shownName(method)}`, id);

/** The gateway reads only JSON, so that nothing else reaches an agent. @param type as the caller wrote it */
export const noJson = (type: string): Refusal => {
  const why = type === '' ? 'The Content-Type header is missing' : `Unsupported Content-Type "${type}"`;
  return new Refusal(a2aErrors.contentType, `${why}; expected application/json.`, null, {
    data: [errorInfo('CONTENT_TYPE_NOT_SUPPORTED')],
  });
};

/** The details of an error in A2A 1.0. */
const errorInfo = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'a2a-protocol.org',
});

/** Nothing that the agent itself said is in it. */
export const agentFailed = (
  id: unknown,
  message = 'The A2A agent could not be reached or returned an invalid response.',
): Refusal => new Refusal(a2aErrors.internal, message, id);

export const methodNotAllowed = (allow: 'GET' | 'POST'): Refusal =>
  new Refusal(a2aErrors.invalidRequest, 'Method not allowed', null, { status: 405, headers: { allow } });

/** Told in the words of the gateway: the protocol has no number for it. @param name as the caller wrote it */
export const forbidden = (name: string): Fault =>
  new Fault('forbidden', `This key is not allowed to use the A2A agent '${name}'.`);
