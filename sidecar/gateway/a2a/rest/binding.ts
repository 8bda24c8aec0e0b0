import { isRecord } from '../../../platform/isRecord.ts';
import { type A2aAnswer, a2aErrors } from '../../../protocol/gateway/a2aWire.ts';
import { isPlainAnswer } from '../../wire/answer.ts';
import type { Binding } from '../bindings.ts';
import type { Refusal } from '../refusal.ts';
import { bodyOf, type RestCall, type RestForm, urlOf } from './operations.ts';

/** HTTP+JSON: the method, path, and query specify the call, and answers have no envelope. */
export const restBinding = (call: RestCall, form: RestForm): Binding => ({
  name: 'HTTP+JSON',
  isLegacy: call.isLegacy,
  accept: 'application/a2a+json, application/json',
  write({ params }, base) {
    const { verb } = call.operation;
    const sent = { method: verb, url: urlOf(call, form, params, base) };
    if (verb !== 'POST') return sent;
    const body = bodyOf(call, form, params);
    if (form.type === undefined && Object.keys(body).length === 0) return sent;
    return { ...sent, body: JSON.stringify(body), type: form.type ?? 'application/json' };
  },
  readAnswer: (text, status) =>
    text.trim() === '' && call.operation.verb === 'DELETE' && status < 300 ? empty : readRestAnswer(text, status),
  readEvent: ({ event, data }) => readRestAnswer(data, event === 'error' ? 500 : 200),
  rewrite: (_answer, result) => JSON.stringify(result),
  lastEvent: (refusal) => `event: error\ndata: ${JSON.stringify(restError(refusal, call.isLegacy).body)}\n\n`,
});

/** An error of the gateway in the format of the binding. */
export function refuseRest(refusal: Refusal, { isLegacy }: Pick<RestCall, 'isLegacy'>): Response {
  const { status, body } = restError(refusal, isLegacy);
  return Response.json(body, { status, headers: refusal.headers });
}

/** The answer to a deletion. */
const empty: A2aAnswer = { jsonrpc: '2.0', result: null };

/** The answer, and the task, message, or update in it, because the owners of IDs depend on those. */
const judgedDepth = 2;

function readRestAnswer(text: string, status: number): A2aAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainAnswer(text, value, judgedDepth)) return undefined;
    if (status < 400) return isRecord(value) || Array.isArray(value) ? { jsonrpc: '2.0', result: value } : undefined;
    const error = isRecord(value) ? errorIn(value, status) : undefined;
    return error && { jsonrpc: '2.0', error };
  } catch {
    return undefined; // not JSON
  }
}

/** An error in the format of A2A 1.0 (google.rpc.Status), or of 0.3. */
function errorIn(value: Readonly<Record<string, unknown>>, status: number) {
  const { error, code, message } = value;
  if (isRecord(error) && typeof error['message'] === 'string')
    return { code: codeOf(error, status), message: error['message'] };
  return Number.isInteger(code) && typeof message === 'string' ? { code: Number(code), message } : undefined;
}

/** @returns the code of the same error over JSON-RPC, or the HTTP status if the error is not one of A2A */
function codeOf({ code, details }: Readonly<Record<string, unknown>>, status: number): number {
  const reasons = (Array.isArray(details) ? details : []).filter(isRecord).map((it) => String(it['reason']));
  const found = reasons.map((it) => codes.get(it)).find((it) => it !== undefined);
  return found ?? (typeof code === 'number' && Number.isInteger(code) ? code : status);
}

const codes: ReadonlyMap<string, number> = new Map([
  ['TASK_NOT_FOUND', a2aErrors.taskNotFound],
  ['TASK_NOT_CANCELABLE', -32002],
  ['PUSH_NOTIFICATION_NOT_SUPPORTED', a2aErrors.pushUnsupported],
  ['UNSUPPORTED_OPERATION', a2aErrors.unsupported],
  ['CONTENT_TYPE_NOT_SUPPORTED', a2aErrors.contentType],
  ['INVALID_AGENT_RESPONSE', -32006],
  ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007],
  ['EXTENSION_SUPPORT_REQUIRED', -32008],
  ['VERSION_NOT_SUPPORTED', -32009],
]);

/** A2A 1.0, Error Mappings. All other errors of the gateway are about the request. */
const statuses: ReadonlyMap<number, readonly [http: number, name: string]> = new Map([
  [a2aErrors.taskNotFound, [404, 'NOT_FOUND']],
  [a2aErrors.methodNotFound, [501, 'UNIMPLEMENTED']],
  [a2aErrors.internal, [500, 'INTERNAL']],
  [a2aErrors.noAgent, [500, 'INTERNAL']],
]);

function restError({ error, status }: Refusal, isLegacy: boolean): { readonly status: number; readonly body: object } {
  const { code, message, data } = error;
  const [known, name] = statuses.get(code) ?? [400, 'INVALID_ARGUMENT'];
  const http = status === 200 ? known : status;
  if (isLegacy) return { status: http, body: { code, message } };
  const named = http === 404 ? 'NOT_FOUND' : name;
  return { status: http, body: { error: { code: http, status: named, message, details: data ?? [] } } };
}
