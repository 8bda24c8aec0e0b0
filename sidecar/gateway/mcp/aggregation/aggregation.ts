import {
  progressTokenOf,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../../protocol/gateway/mcpWire.ts';
import { eventOf, type StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';

/**
 * Where several servers share one stream, ids of their requests and events name their server, so that what a client
 * sends back finds its way without any memory of ours: `server:id`. If connections belong to one of several replicas, IDs
 * also name the replica: `server@replica:id`.
 */
export const placeOf = (serverId: string, replica: string | undefined): string =>
  `${encodeURIComponent(serverId)}${replica === undefined ? '' : `@${replica}`}`;

/** @param place of {@link placeOf} */
export const namespacedId = (place: string, id: RpcId): string => `${place}:${JSON.stringify(id)}`;

export interface Namespaced<T> {
  readonly serverId: string;
  readonly replica: string | undefined;
  readonly rest: T;
}

export function readNamespacedId(id: unknown): Namespaced<RpcId> | undefined {
  const namespaced = readNamespaced(id);
  if (!namespaced) return undefined;
  try {
    const inner: unknown = JSON.parse(namespaced.rest);
    const isId = typeof inner === 'string' || Number.isInteger(inner);
    return isId ? { ...namespaced, rest: inner as RpcId } : undefined;
  } catch {
    return undefined; // not an id of ours
  }
}

export const namespacedEventId = (place: string, id: string): string => `${place}:${id}`;

export function readNamespaced(text: unknown): Namespaced<string> | undefined {
  const at = typeof text === 'string' ? text.indexOf(':') : -1;
  if (typeof text !== 'string' || at <= 0) return undefined;
  const [server = '', replica] = text.slice(0, at).split('@', 2);
  try {
    return { serverId: decodeURIComponent(server), replica, rest: text.slice(at + 1) };
  } catch {
    return undefined; // a lone percent sign: not of ours
  }
}

/** An event of one server as it goes out on a stream of several. */
export function namespacedEvent(place: string, event: StreamEvent): StreamEvent {
  const namespaced = event.message && namespacedMessage(place, event.message);
  return {
    ...event,
    ...(namespaced && eventOf(namespaced)),
    ...(event.id !== undefined && { id: namespacedEventId(place, event.id) }),
  };
}

/** `undefined` for what names no request of the server's: answers, which are most of it, pass as they are. */
function namespacedMessage(place: string, read: RpcMessage): RpcMessage | undefined {
  if (read.kind === 'request') return { kind: 'request', message: namespacedRequest(place, read.message) };
  if (read.kind === 'response') return undefined;
  const message = namespacedCancellation(place, read.message);
  return message && { kind: 'notification', message };
}

function namespacedCancellation(place: string, note: RpcNotification): RpcNotification | undefined {
  const requestId = note.params?.['requestId'];
  if (note.method !== 'notifications/cancelled') return undefined;
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return undefined;
  return { ...note, params: { ...note.params, requestId: namespacedId(place, requestId) } };
}

function namespacedRequest(place: string, request: RpcRequest): RpcRequest {
  const id = namespacedId(place, request.id);
  const token = progressTokenOf(request.params);
  if (token === undefined) return { ...request, id };
  const meta = request.params?.['_meta'];
  return {
    ...request,
    id,
    params: { ...request.params, _meta: { ...(meta as object), progressToken: namespacedId(place, token) } },
  };
}

export function namespacedReply(place: string, reply: Reply): Reply {
  if (reply.kind === 'message') return reply;
  return { kind: 'stream', events: mapEvents(reply.events, (it) => namespacedEvent(place, it)) };
}

export async function* mapEvents(
  events: AsyncIterable<StreamEvent>,
  map: (event: StreamEvent) => StreamEvent | Promise<StreamEvent>,
): AsyncGenerator<StreamEvent> {
  for await (const event of events) yield await map(event);
}

/** Changes the answer of a reply, wherever it comes; everything else passes as it is. */
export async function mapAnswer(
  reply: Reply,
  request: RpcRequest,
  map: (answer: RpcResponse) => RpcResponse | undefined | Promise<RpcResponse | undefined>,
): Promise<Reply> {
  if (reply.kind === 'message') {
    const changed = await map(reply.message);
    return changed ? { ...reply, text: JSON.stringify(changed), message: changed } : reply;
  }
  const events = mapEvents(reply.events, async (event) => {
    const read = event.message;
    if (read?.kind !== 'response' || read.message.id !== request.id) return event;
    const message = await map(read.message);
    return message ? { ...event, ...eventOf({ kind: 'response', message }) } : event;
  });
  return { kind: 'stream', events };
}
