import type { RpcRequest, RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { endedEarly } from './failure.ts';
import type { McpBackend, Reply, RequestOptions } from './types.ts';

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
