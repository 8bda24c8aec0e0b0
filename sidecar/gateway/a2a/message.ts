import type { HttpRequest } from '../../platform/httpMessages.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { readBody } from '../../platform/requestBody.ts';
import {
  type A2aMethod,
  A2aParams,
  A2aRequest,
  a2aErrors,
  a2aMethods,
  isProtobufMethod,
  unknownA2aMethod,
} from '../../protocol/gateway/a2aWire.ts';
import { envelope } from '../wire/envelope.ts';
import { foldName } from '../wire/fold.ts';
import { plainNumbers } from '../wire/numbers.ts';
import { readShape, type Shape, shapeOf, twinWords } from '../wire/shape.ts';
import { ambiguityWords, readStrict } from '../wire/strictJson.ts';
import { invalidParams, invalidRequest, noJson, noSuchMethod, Refusal } from './refusal.ts';

/** Deeper than anybody needs: what is behind us may count levels on its stack. */
export const tooDeep = { maxDepth: 128 };

/** A request and its media type. */
export interface Message {
  readonly type: string;
  readonly request: A2aRequest;
}

/** All JSON media types. The agent decides which of them it takes. */
const jsonType = /^application\/(?:[\w.-]+\+)?json$/;

/** The media type of a body. `undefined` if it is not a JSON media type. */
export function mediaType({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  return jsonType.test(type) ? type : undefined;
}

/** @throws {Refusal} for a body that is not a JSON-RPC request, or that parsers could read differently */
export async function readMessage(request: HttpRequest, maxBytes: number): Promise<Message> {
  const type = mediaType(request);
  if (type === undefined) throw noJson(request.headers.get('content-type') ?? '');
  const text = await readBody(request, maxBytes);
  if (text === undefined)
    throw new Refusal(a2aErrors.invalidRequest, `The body is larger than ${maxBytes} bytes`, null, { status: 413 });
  return { type, request: readRequest(text) };
}

/** @throws {Refusal} */
export function readRequest(text: string): A2aRequest {
  const read = readStrict(text, tooDeep);
  if ('refused' in read) {
    if (read.refused === 'no JSON') throw new Refusal(a2aErrors.parse, 'Parse error', null);
    throw invalidRequest(ambiguityWords(read.refused));
  }
  const id = isRecord(read.value) ? idOf(read.value['id']) : null;
  const shaped = readShape(read.value, envelope);
  if ('twin' in shaped) throw invalidRequest(twinWords(shaped.twin), id);
  const { value } = read;
  const body =
    isRecord(value) && Object.hasOwn(value, 'id') ? { ...value, id: plainNumbers(value['id']).value } : value;
  const parsed = A2aRequest.safeParse(body);
  if (!parsed.success || !isRecord(value) || Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
    throw invalidRequest('not a JSON-RPC request', id);
  const { jsonrpc, method } = parsed.data;
  // Ids are the agent's to give back, and of any length.
  return { jsonrpc, ...only(value, 'id'), method, ...only(value, 'params') };
}

const shapes = new Map<string, Shape>([...a2aMethods].map(([name, { members }]) => [name, shapeOf(members)]));

/** What a request means, and the request as it is sent. */
export interface Judged {
  readonly method: A2aMethod;
  readonly request: A2aRequest;
  /** Present if the request is sent only to get the agent's own error. */
  readonly probe?: Probe;
}

/**
 * A request that the gateway refuses. The agent still gets it, without the parts that must not reach the agent, so that the
 * caller gets the agent's own error. A result is discarded.
 */
export interface Probe {
  /** The error that the caller gets if the agent returns none of its own. */
  readonly instead: Refusal;
  /** Whether the caller gets an error with this code from the agent, in place of {@link instead}. */
  says(code: number): boolean;
  /** Puts the caller's IDs back into a text from the agent. */
  restore?(text: string): string;
}

/**
 * Judges a request by its method. One of A2A 1.0 is returned in camelCase. Unknown members go on: the agent may be of a
 * newer version, and an agent of this version ignores them.
 *
 * An unknown method is sent with empty parameters, because its own could contain anything. Agents that require parameters would
 * otherwise report those as the error.
 *
 * @throws {Refusal} for a method that an agent could take for a known one, or parameters that parsers could read differently
 */
export function judge(request: A2aRequest): Judged {
  const method = a2aMethods.get(request.method);
  const shape = shapes.get(request.method);
  if (!method || !shape) {
    const instead = noSuchMethod(request);
    if (foldedMethods.has(foldName(request.method)) || !isPrintable(request.method)) throw instead;
    return { method: unknownA2aMethod, request: { ...request, params: {} }, probe: { instead, says: () => true } };
  }
  const shaped = readShape(request.params, shape, 'params', isProtobufMethod(request.method));
  if ('twin' in shaped) throw invalidParams(twinWords(shaped.twin), request.id);
  const params = A2aParams.safeParse(shaped.value);
  if (params.success)
    return { method, request: { ...request, ...(shaped.value !== undefined && { params: shaped.value }) } };
  const [issue] = params.error.issues;
  throw invalidParams(['params', ...(issue?.path ?? [])].map(String).join('.'), request.id);
}

const foldedMethods: ReadonlySet<string> = new Set([...a2aMethods.keys()].map(foldName));
const isPrintable = (method: string) => /^[\x21-\x7e]+$/.test(method);

const only = (value: Record<string, unknown>, name: 'id' | 'params'): object =>
  Object.hasOwn(value, name) ? { [name]: value[name] } : {};

function idOf(id: unknown): unknown {
  const { value } = plainNumbers(id);
  return typeof value === 'string' || typeof value === 'number' ? id : null;
}
