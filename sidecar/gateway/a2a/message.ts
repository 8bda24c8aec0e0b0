import { readBody } from '../../platform/requestBody.ts';
import { type A2aMethod, A2aRequest, a2aErrors, a2aMethods } from '../../protocol/gateway/a2aWire.ts';
import { isRecord } from './deps.ts';
import { rpcRefusal } from './refusal.ts';
import { ambiguityOf } from './strictJson.ts';

/** A request of a caller: judged, and as it came. */
export interface Message {
  /** Relayed byte for byte. */
  readonly text: string;
  readonly request: A2aRequest;
}

/** @throws {Refusal} 400, 413 or 415 where the body is no JSON-RPC request */
export async function readMessage(request: Request, maxBytes: number): Promise<Message> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && type !== 'application/a2a+json') {
    throw rpcRefusal(415, a2aErrors.invalidRequest, 'Content-Type must be application/json');
  }
  const text = await readBody(request, maxBytes);
  if (text === undefined) throw rpcRefusal(413, a2aErrors.invalidRequest, `The body is larger than ${maxBytes} bytes`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw rpcRefusal(400, a2aErrors.parse, 'Parse error');
  }
  const ambiguity = ambiguityOf(text);
  if (ambiguity) throw rpcRefusal(400, a2aErrors.invalidRequest, `Invalid request: ${ambiguity}`);
  const parsed = A2aRequest.safeParse(body);
  if (parsed.success) return { text, request: body as A2aRequest };
  throw rpcRefusal(400, a2aErrors.invalidRequest, 'Invalid request: not a JSON-RPC request', idOf(body));
}

/** @throws {Refusal} 400 for a method that is none of the protocol's, or parameters that are not the method's */
export function methodOf({ request }: Message): A2aMethod {
  const method = a2aMethods.get(request.method);
  if (!method) throw rpcRefusal(400, a2aErrors.methodNotFound, 'Method not found', request.id);
  const params = method.params.safeParse(request.params);
  if (params.success) return method;
  const [issue] = params.error.issues;
  const field = ['params', ...(issue?.path ?? [])].map(String).join('.');
  throw rpcRefusal(400, a2aErrors.invalidParams, `Invalid params: ${field}`, request.id);
}

function idOf(body: unknown): string | number | null {
  const id = isRecord(body) ? body['id'] : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
