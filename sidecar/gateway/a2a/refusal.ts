import { Fault } from '../../platform/faults.ts';
import { a2aErrors } from '../../protocol/gateway/a2aWire.ts';

/** An error response of the A2A protocol. The routes throw it, and the front turns it into a response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Of JSON-RPC, as the record holds it. */
  readonly code: string;

  /** @param message for the record; the body is what the caller reads */
  constructor(status: number, code: number, message: string, body: unknown, headers: Readonly<Record<string, string>>) {
    super(message);
    this.status = status;
    this.code = `${code}`;
    this.body = body;
    this.headers = headers;
  }

  toResponse(): Response {
    return Response.json(this.body, { status: this.status, headers: this.headers });
  }
}

/** @param id of the request; null where none could be read */
export const rpcRefusal = (
  status: number,
  code: number,
  message: string,
  id: unknown = null,
  headers: Readonly<Record<string, string>> = {},
): Refusal => new Refusal(status, code, message, { jsonrpc: '2.0', id, error: { code, message } }, headers);

export const noSuchAgent = (id: unknown): Refusal => rpcRefusal(404, a2aErrors.noAgent, 'A2A agent not found.', id);

/**
 * The refusal for a task or context of another caller, and for one that no caller got through this gateway. Both are
 * alike, so that nobody learns what others have (`security.foreign-conversation`).
 * @param isProtobuf of A2A 1.0, where the error has an HTTP status and details
 */
export function noSuchTask(id: unknown, isProtobuf: boolean): Refusal {
  const code = a2aErrors.taskNotFound;
  const error = { code, message: 'Task not found', ...(isProtobuf && { data: [taskNotFoundInfo] }) };
  const body = { jsonrpc: '2.0', id: id ?? null, error };
  return new Refusal(
    isProtobuf ? 404 : 200,
    code,
    'refused: the task or context does not belong to the caller',
    body,
    {},
  );
}

const taskNotFoundInfo = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'TASK_NOT_FOUND',
  domain: 'a2a-protocol.org',
};

/** Nothing that the agent itself said is in it. */
export const agentFailed = (
  id: unknown,
  message = 'The A2A agent could not be reached or returned an invalid response.',
) => rpcRefusal(500, a2aErrors.internal, message, id);

export const methodNotAllowed = (allow: 'GET' | 'POST'): Refusal =>
  rpcRefusal(405, a2aErrors.invalidRequest, 'Method not allowed', null, { allow });

/** Told in the words of the gateway: the protocol has no number for it. @param name as the caller wrote it */
export const forbidden = (name: string): Fault =>
  new Fault('forbidden', `This key is not allowed to use the A2A agent '${name}'.`);
