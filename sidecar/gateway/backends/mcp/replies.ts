import type { RpcRequest, RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { endedEarly } from './failure.ts';
import { eventOf, type StreamEvent } from './streamEvent.ts';
import type { McpBackend, Reply, RequestOptions } from './types.ts';

export function replyOf(message: RpcResponse, status = 200): Extract<Reply, { readonly kind: 'message' }> {
  return { kind: 'message', status, text: JSON.stringify(message), message };
}

/** The events of a stream, or a single message as an event. */
export async function* eventsOf(reply: Reply): AsyncGenerator<StreamEvent> {
  if (reply.kind === 'stream') yield* reply.events;
  else yield eventOf({ kind: 'response', message: reply.message });
}

/** The answer alone, for requests of our own: what comes before it on the stream is let go. @throws {BackendFailure} */
export async function answerOf(reply: Reply, name: string): Promise<RpcResponse> {
  if (reply.kind === 'message') return reply.message;
  for await (const { message: read } of reply.events) if (read?.kind === 'response') return read.message;
  throw endedEarly(name);
}

export async function ask(
  backend: McpBackend,
  name: string,
  request: RpcRequest,
  options: RequestOptions,
): Promise<RpcResponse> {
  return answerOf(await backend.request(request, options), name);
}
