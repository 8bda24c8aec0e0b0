import { isRecord } from '../../../platform/isRecord.ts';
import { mcpErrors } from '../../../protocol/gateway/mcpWire.ts';
import { listMembers } from '../../backends/mcp/listAll.ts';
import type { StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { RpcRefusal, resultReply } from '../answers.ts';
import type { VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';

/** What a caller with some tools of a server may ask of it beside them; its resources and prompts look as if there were none. */
const besideTools: ReadonlySet<string> = new Set([
  'server/discover',
  'logging/setLevel',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
]);

export const noPrompt = () => new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: prompt not found');
export const noReference = () => new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: ref not found');
export function noResource({ era, request }: Pick<McpRequest, 'era' | 'request'>): RpcRefusal {
  const code = era === 'modern' ? mcpErrors.invalidParams : mcpErrors.resourceNotFound;
  return new RpcRefusal(code, 'Resource not found', { data: { uri: request.params?.['uri'] } });
}

/**
 * The answer to a request for the one server of an address that the caller has not as a whole; `undefined` where it may be
 * asked.
 *
 * @throws {RpcRefusal} as for something that is nowhere
 */
export function answerWithoutServer(mcp: McpRequest): Reply | undefined {
  const { method, id } = mcp.request;
  if (besideTools.has(method)) return undefined;
  const member = Object.hasOwn(listMembers, method) ? listMembers[method as keyof typeof listMembers] : undefined;
  if (member) {
    const era = mcp.era === 'modern' && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    return resultReply(id, { [member]: [], ...era });
  }
  if (method === 'prompts/get') throw noPrompt();
  if (method.startsWith('resources/')) throw noResource(mcp);
  if (method === 'completion/complete') throw noReference();
  throw new RpcRefusal(mcpErrors.methodNotFound, 'Method not found', { status: mcp.era === 'modern' ? 404 : 200 });
}

/** A subscription as a server may get it: one that is not open as a whole notifies of its tools alone. */
export function subscriptionFor({ request }: McpRequest, { isWhole }: VisibleServer) {
  if (isWhole) return { request };
  const wanted = request.params?.['notifications'];
  const tools = isRecord(wanted) && wanted['toolsListChanged'] === true;
  return {
    request: { ...request, params: { ...request.params, notifications: tools ? { toolsListChanged: true } : {} } },
  };
}

const ofWholes = /^notifications\/(resources|prompts)\//;

/** Whether an event that a server sends by itself is for this caller: what readers could understand differently is for none. */
export function mayReach({ isWhole }: VisibleServer, { message: read, data }: StreamEvent): boolean {
  if (!read) return data.length === 0;
  return isWhole || read.kind === 'response' || !ofWholes.test(read.message.method);
}

/** What a request brought, as far as it is for this caller: servers send what happened to all of them along with it. */
export function reaching(visible: VisibleServer, reply: Reply): Reply {
  return visible.isWhole || reply.kind === 'message' ? reply : { kind: 'stream', events: those(reply.events) };

  async function* those(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
    for await (const event of events) if (mayReach(visible, event)) yield event;
  }
}
