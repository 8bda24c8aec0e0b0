import type { HttpRequest } from '../../../platform/httpMessages.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import { readBody } from '../../../platform/requestBody.ts';
import { a2aRestParams } from '../../../protocol/gateway/a2aMembers.ts';
import { A2aParams, A2aQuery, a2aErrors, a2aMethods } from '../../../protocol/gateway/a2aWire.ts';
import { shownName, snakeOf } from '../../wire/fold.ts';
import { readShape, type Shape, shapeOf, twinWords } from '../../wire/shape.ts';
import { ambiguityWords, readStrict } from '../../wire/strictJson.ts';
import { type Judged, mediaType, tooDeep } from '../message.ts';
import { invalidParams, invalidRequest, noJson, noSuchMethod, Refusal } from '../refusal.ts';
import { queryNames, type RestCall, type RestForm, taskMember, versionName } from './operations.ts';

type Params = Readonly<Record<string, unknown>>;

/** A request as it is judged, and how its caller wrote it. */
export interface RestRead {
  readonly judged: Judged;
  readonly form: RestForm;
}

/**
 * Reads a request over HTTP+JSON as strictly as one over JSON-RPC. Its path, query, and body together become the parameters of
 * the method. The request for the agent is written from these parameters.
 *
 * @throws {Refusal} for a request that parsers could read differently
 */
export async function readRest(call: RestCall, request: HttpRequest, maxBytes: number): Promise<RestRead> {
  const { operation } = call;
  const { [versionName]: version, ...query } = readQuery(new URL(request.url).searchParams, call);
  if (version !== undefined && (request.headers.get(versionName) ?? version) !== version) throw twice(versionName);
  const { type, body = {} } = operation.verb === 'POST' ? await readContent(request, maxBytes) : {};
  const { isWrapped, members } = unwrap(readMembers(body, call), call);
  const params = merge(call, members, query);
  const parsed = A2aParams.safeParse(params);
  if (!parsed.success) throw invalidParams(['params', ...(parsed.error.issues[0]?.path ?? [])].map(String).join('.'));
  const asked = { jsonrpc: '2.0', method: operation.method, params } as const;
  const method = a2aMethods.get(operation.method);
  if (!method) throw noSuchMethod(asked);
  const form = { isWrapped, ...(type !== undefined && { type }), ...(version !== undefined && { version }) };
  return { judged: { method, request: asked }, form };
}

/** @returns nothing for an empty body, or for `null`, which some clients of A2A 0.3 send in its place */
async function readContent(request: HttpRequest, maxBytes: number): Promise<{ type?: string; body?: Params }> {
  const text = await readBody(request, maxBytes);
  if (text === undefined)
    throw new Refusal(a2aErrors.invalidRequest, `The body is larger than ${maxBytes} bytes`, null, { status: 413 });
  if (text.trim() === '' || text.trim() === 'null') return {};
  const type = mediaType(request);
  if (type === undefined) throw noJson(request.headers.get('content-type') ?? '');
  const read = readStrict(text, tooDeep);
  if ('refused' in read) {
    if (read.refused === 'no JSON') throw new Refusal(a2aErrors.parse, 'Parse error', null);
    throw invalidRequest(ambiguityWords(read.refused));
  }
  if (!isRecord(read.value)) throw invalidRequest('the body must be a JSON object');
  return { type, body: read.value };
}

const { message, task, tasks, webhook, card } = a2aRestParams;
const shapes: Readonly<Record<string, Shape>> = {
  SendMessage: shapeOf(message),
  SendStreamingMessage: shapeOf(message),
  ListTasks: shapeOf(tasks),
  CreateTaskPushNotificationConfig: shapeOf(webhook),
  GetExtendedAgentCard: shapeOf(card),
};
const taskShape = shapeOf(task);

/** The body in camelCase. Both eras use protobuf's JSON over this binding, which also allows snake_case. */
function readMembers(body: Params, { operation: { method } }: RestCall): Params {
  const shaped = readShape(body, shapes[method] ?? taskShape, 'params', true);
  if ('twin' in shaped) throw invalidParams(twinWords(shaped.twin));
  return isRecord(shaped.value) ? shaped.value : {};
}

/** Only parameters of the protocol, each once, because web frameworks read other queries differently. */
function readQuery(query: URLSearchParams, { operation: { verb } }: RestCall): A2aQuery {
  const found: Record<string, string> = {};
  for (const [written, value] of query) {
    const name = names.get(written);
    if (name === undefined || (verb === 'POST' && name !== versionName))
      throw invalidParams(`the query parameter '${shownName(written)}' is not supported`);
    if (Object.hasOwn(found, name)) throw twice(name);
    found[name] = value;
  }
  const parsed = A2aQuery.safeParse(found);
  if (parsed.success) return parsed.data;
  throw invalidParams(`the query parameter '${String(parsed.error.issues[0]?.path[0])}' is not valid`);
}

/** Query parameters by both of their spellings. */
const names: ReadonlyMap<string, string> = new Map([
  [versionName, versionName],
  ...queryNames.flatMap((it): [string, string][] => [
    [it, it],
    [snakeOf(it), it],
  ]),
]);

/** Reads the request message of A2A 0.3 around a push notification config as the config itself. */
function unwrap(body: Params, { operation, isLegacy }: RestCall): { isWrapped: boolean; members: Params } {
  const { config, ...around } = body;
  const isWrapped = isLegacy && operation.method === 'CreateTaskPushNotificationConfig' && isRecord(config);
  if (!isWrapped) return { isWrapped, members: body };
  for (const name of Object.keys(config)) if (Object.hasOwn(around, name)) throw twice(name);
  return { isWrapped, members: { ...around, ...config } };
}

/** @throws {Refusal} if path, query, and body contradict each other */
function merge(call: RestCall, body: Params, query: Params): Params {
  const { operation, tenant, task: id, config } = call;
  const { request: older, parent, ...members } = body;
  if (older !== undefined && members['message'] !== undefined) throw twice('message');
  const inPath = {
    ...(tenant !== undefined && { tenant }),
    ...(id !== undefined && { [taskMember(operation)]: id }),
    ...(config !== undefined && { id: config }),
  };
  for (const [member, value] of Object.entries({ ...query, ...inPath }))
    if (member in members && members[member] !== value && members[member] !== '') throw twice(member);
  if (tenant !== undefined && query['tenant'] !== undefined && query['tenant'] !== tenant) throw twice('tenant');
  if (!isOfTask(members['name'], id)) throw ofTask('name');
  if (!isOfTask(parent, id)) throw ofTask('parent');
  return { ...members, ...(older !== undefined && { message: older }), ...query, ...inPath };
}

const twice = (member: string) => invalidParams(`'${member}' is given twice`);
const ofTask = (member: string) => invalidParams(`'${member}' must be that of the task in the path`);

/** Whether a resource name of A2A 0.3 is that of a task, or is below it. */
function isOfTask(name: unknown, task: string | undefined): boolean {
  if (name === undefined || name === '') return true;
  if (typeof name !== 'string') return false;
  const [collection, id] = name.split('/');
  return collection === 'tasks' && id === task;
}
