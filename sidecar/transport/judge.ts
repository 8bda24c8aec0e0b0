import { type Buffer, isUtf8 } from 'node:buffer';
import { jsonRpcErrors } from '../protocol/jsonRpcErrors.ts';
import { isDeeperThan } from './depth.ts';

/** Deepest nesting of a message where nobody says otherwise. */
export const MAX_DEPTH = 128;

export type MessageId = number | string;
export type Params = object;

/** A well-formed JSON-RPC 2.0 message. `params` is an object or an array. */
export type JsonRpcMessage =
  | { readonly jsonrpc: '2.0'; readonly id: MessageId; readonly method: string; readonly params?: Params }
  | { readonly jsonrpc: '2.0'; readonly method: string; readonly params?: Params }
  | { readonly jsonrpc: '2.0'; readonly id: MessageId | null; readonly result: unknown }
  | { readonly jsonrpc: '2.0'; readonly id: MessageId | null; readonly error: JsonRpcError };
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Why a body was not delivered. `answer` is false for a bad response: answering one could go on for ever. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly id: MessageId | null;
  readonly answer: boolean;
}
export type Verdict =
  | { readonly ok: true; readonly message: JsonRpcMessage }
  | { readonly ok: false; readonly refusal: Refusal };

/** Judges one body by JSON-RPC 2.0, sections 4 and 5. Batches (section 6) are refused: the protocol has none. */
export function judgeBody(body: Buffer, maxDepth: number = MAX_DEPTH): Verdict {
  if (!isUtf8(body)) return refuse(jsonRpcErrors.parse, 'the body is not valid UTF-8');
  const read = readJson(body, maxDepth);
  return 'refusal' in read ? { ok: false, refusal: read.refusal } : judgeMessage(read.value);
}

/** The value of a body in UTF-8, or why there is none. */
export function readJson(body: Buffer, maxDepth: number): { readonly value: unknown } | { readonly refusal: Refusal } {
  if (isDeeperThan(body, maxDepth)) {
    const message = `nested more than ${maxDepth} levels deep`;
    return { refusal: { code: jsonRpcErrors.invalidRequest, message, id: null, answer: true } };
  }
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    const message = 'the body is not valid JSON';
    return { refusal: { code: jsonRpcErrors.parse, message, id: null, answer: true } };
  }
}

export function judgeMessage(value: unknown): Verdict {
  if (Array.isArray(value)) return invalid('batches are not supported');
  if (typeof value !== 'object' || value === null) return invalid('a message must be an object');
  const it: { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown } =
    value;
  if (!('method' in it) && ('result' in it || 'error' in it)) return judgeResponse(it);
  const id = isId(it.id) ? it.id : null;
  if (it.jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"', id);
  if (typeof it.method !== 'string') return invalid('method must be a string', id);
  if ('id' in it && !isId(it.id)) return invalid('id must be a number or a string');
  if ('params' in it && (typeof it.params !== 'object' || it.params === null)) {
    return invalid('params must be an object or an array', id);
  }
  return { ok: true, message: it as JsonRpcMessage };
}

function judgeResponse(it: { jsonrpc?: unknown; id?: unknown; result?: unknown; error?: unknown }): Verdict {
  if (it.jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0" in a response', null, false);
  if (!isId(it.id) && it.id !== null) return invalid('id must be a number or a string in a response', null, false);
  const hasResult = 'result' in it;
  if (hasResult === 'error' in it) return invalid('a response must have either a result or an error', null, false);
  if (!hasResult && !isError(it.error)) return invalid('error must have a code and a message', null, false);
  return { ok: true, message: it as JsonRpcMessage };
}

function isError(value: unknown): value is JsonRpcError {
  if (typeof value !== 'object' || value === null) return false;
  const it: { code?: unknown; message?: unknown } = value;
  return Number.isInteger(it.code) && typeof it.message === 'string';
}

/** `1e999` parses as Infinity, which cannot be written back: no id. */
function isId(value: unknown): value is MessageId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function invalid(message: string, id: MessageId | null = null, answer = true): Verdict {
  return refuse(jsonRpcErrors.invalidRequest, message, id, answer);
}
function refuse(code: number, message: string, id: MessageId | null = null, answer = true): Verdict {
  return { ok: false, refusal: { code, message, id, answer } };
}
