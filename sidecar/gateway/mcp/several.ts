import {
  progressTokenOf,
  type RpcId,
  type RpcRequest,
  type RpcResponse,
  readRpcText,
} from '../../protocol/gateway/mcpWire.ts';
import type { Reply, StreamEvent } from '../backends/mcp/types.ts';

/**
 * Where several servers speak on one stream, ids of their requests and events say whose they are, so that what a client
 * sends back finds its way without any memory of ours: `server:id`.
 */
export const ownedId = (serverId: string, id: RpcId): string => `${encodeURIComponent(serverId)}:${JSON.stringify(id)}`;

export function readOwnedId(id: unknown): { readonly serverId: string; readonly id: RpcId } | undefined {
  const owned = readOwned(id);
  if (!owned) return undefined;
  try {
    const inner: unknown = JSON.parse(owned.rest);
    const isId = typeof inner === 'string' || Number.isInteger(inner);
    return isId ? { serverId: owned.serverId, id: inner as RpcId } : undefined;
  } catch {
    return undefined; // not an id of ours
  }
}

export const ownedEventId = (serverId: string, id: string): string => `${encodeURIComponent(serverId)}:${id}`;

export function readOwned(text: unknown): { readonly serverId: string; readonly rest: string } | undefined {
  const at = typeof text === 'string' ? text.indexOf(':') : -1;
  if (typeof text !== 'string' || at <= 0) return undefined;
  try {
    return { serverId: decodeURIComponent(text.slice(0, at)), rest: text.slice(at + 1) };
  } catch {
    return undefined; // a lone percent sign: not of ours
  }
}

/** An event of one server as it goes out on a stream of several. */
export function ownedEvent(serverId: string, event: StreamEvent): StreamEvent {
  const data = ownedMessage(serverId, event.data);
  return { ...event, data, ...(event.id !== undefined && { id: ownedEventId(serverId, event.id) }) };
}

function ownedMessage(serverId: string, data: string): string {
  if (!data.includes('"method"')) return data; // answers, which are most of it, pass as they are
  const read = readRpcText(data);
  if (read?.kind === 'request') return JSON.stringify(ownedRequest(serverId, read.message));
  const requestId = read?.kind === 'notification' ? read.message.params?.['requestId'] : undefined;
  if (read?.kind !== 'notification' || read.message.method !== 'notifications/cancelled') return data;
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return data;
  return JSON.stringify({
    ...read.message,
    params: { ...read.message.params, requestId: ownedId(serverId, requestId) },
  });
}

function ownedRequest(serverId: string, request: RpcRequest): RpcRequest {
  const id = ownedId(serverId, request.id);
  const token = progressTokenOf(request.params);
  if (token === undefined) return { ...request, id };
  const meta = request.params?.['_meta'];
  return {
    ...request,
    id,
    params: { ...request.params, _meta: { ...(meta as object), progressToken: ownedId(serverId, token) } },
  };
}

export function ownedReply(serverId: string, reply: Reply): Reply {
  if (reply.kind === 'message') return reply;
  return { kind: 'stream', events: mapEvents(reply.events, (it) => ownedEvent(serverId, it)) };
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
  map: (answer: RpcResponse, text: string) => RpcResponse | undefined | Promise<RpcResponse | undefined>,
): Promise<Reply> {
  if (reply.kind === 'message') {
    const changed = await map(reply.message, reply.text);
    return changed ? { ...reply, text: JSON.stringify(changed), message: changed } : reply;
  }
  const events = mapEvents(reply.events, async (event) => {
    const read = event.data === '' ? undefined : readRpcText(event.data);
    if (read?.kind !== 'response' || read.message.id !== request.id) return event;
    const changed = await map(read.message, event.data);
    return changed ? { ...event, data: JSON.stringify(changed) } : event;
  });
  return { kind: 'stream', events };
}
