import { isRecord } from '../../platform/isRecord.ts';
import { type McpMethodRow, mcpMethods } from '../../protocol/gateway/mcpMethods.ts';
import { mcpErrors, type RpcId, type RpcMessage, readRpc } from '../../protocol/gateway/mcpWire.ts';
import { envelope } from './envelope.ts';
import { plainNumber } from './numbers.ts';
import { readShape, type Shape, shapeOf, type Twin, twinWords } from './shape.ts';
import type { Read } from './strictJson.ts';

/** A message of a client that is refused: the answer, and the text of the record. */
export interface RefusedMessage {
  readonly kind: 'refused';
  readonly code: number;
  readonly words: string;
  readonly id: RpcId | null;
  readonly method: string | undefined;
}
export type ClientMessage = RpcMessage | RefusedMessage;

/** The methods that are relayed, with the members of their parameters made ready for comparing. */
export interface RelayedMethods {
  get(method: string): (McpMethodRow & { readonly shape: Shape }) | undefined;
}

export function relayedMethods(rows: ReadonlyMap<string, McpMethodRow>): RelayedMethods {
  return new Map([...rows].map(([method, row]) => [method, { ...row, shape: shapeOf(row.params) }]));
}
export const ownMethods = relayedMethods(mcpMethods);

/**
 * A message of a client, made of what was judged: members of the envelope that JSON-RPC does not know stay behind.
 * Other members of `params` go on: extensions of MCP add some, and its schema lets them (`params?: { [key: string]: unknown }`).
 *
 * @param read.value one message, read by `readStrict`
 */
export function readClientMessage({ value, hasOddNumbers }: Read, methods: RelayedMethods): ClientMessage {
  const outer = readShape(value, envelope);
  const id = idOf(value);
  const method = methodOf(value);
  const refuse = (code: number, words: string): RefusedMessage => ({ kind: 'refused', code, words, id, method });
  const byTwin = (twin: Twin) => refuse(mcpErrors.invalidRequest, `Invalid request: ${twinWords(twin)}`);
  if ('twin' in outer) return byTwin(outer.twin);
  const read = readRpc(hasOddNumbers ? withPlainIds(value) : value);
  if (!read || isTwoAtOnce(value)) return refuse(mcpErrors.invalidRequest, 'Invalid request: not a JSON-RPC message');
  if (read.kind === 'response') return { kind: 'response', message: answerOf(read.message) };
  const { message } = read;
  // A method that is not relayed is refused by name where it is served; nothing of its parameters goes anywhere.
  const shape = methods.get(message.method)?.shape;
  const params = shape && readShape(message.params, shape, 'params');
  if (params && 'twin' in params) return refuse(mcpErrors.invalidParams, `Invalid params: ${twinWords(params.twin)}`);
  const { jsonrpc } = message;
  const held = message.params === undefined ? {} : { params: message.params };
  return read.kind === 'request'
    ? { kind: 'request', message: { jsonrpc, id: read.message.id, method: message.method, ...held } }
    : { kind: 'notification', message: { jsonrpc, method: message.method, ...held } };
}

type Answer = Extract<RpcMessage, { kind: 'response' }>['message'];

function answerOf(answer: Answer): Answer {
  const { jsonrpc } = answer;
  if ('result' in answer) return { jsonrpc, id: answer.id, result: answer.result };
  const { code, message, data } = answer.error;
  return { jsonrpc, id: answer.id, error: { code, message, ...(data !== undefined && { data }) } };
}

/** A question that is an answer as well, or an answer of both kinds: each reader takes its own pick. */
function isTwoAtOnce(value: unknown): boolean {
  const has = (name: string) => Object.hasOwn(value as object, name);
  return has('result') ? has('error') || has('method') : has('error') && has('method');
}

/** Ids are compared, so that `1.0` is 1 for them; one that no number can be stays what it is, and is refused. */
function withPlainIds(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const plain = { ...value, ...plainMembers(value, ['id']) };
  const { params, error } = value;
  if (isRecord(error)) Object.assign(plain, { error: { ...error, ...plainMembers(error, ['code']) } });
  if (!isRecord(params)) return plain;
  const meta = params['_meta'];
  const ids = plainMembers(params, ['requestId', 'progressToken']);
  const token = isRecord(meta) ? plainMembers(meta, ['progressToken']) : undefined;
  if (!ids && !token) return plain;
  return { ...plain, params: { ...params, ...ids, ...(token && { _meta: { ...(meta as object), ...token } }) } };
}

/** Those of the members that are numbers of another spelling, as numbers. */
function plainMembers(holder: Record<string, unknown>, names: readonly string[]): Record<string, unknown> | undefined {
  const changed = names.flatMap((it) => {
    const plain = plainNumber(holder[it]);
    return plain === holder[it] ? [] : [[it, plain] as const];
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

function idOf(value: unknown): RpcId | null {
  const id = isRecord(value) ? value['id'] : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RpcId) : null;
}

function methodOf(value: unknown): string | undefined {
  const method = isRecord(value) ? value['method'] : undefined;
  return typeof method === 'string' && method.length <= 256 ? method : undefined;
}
