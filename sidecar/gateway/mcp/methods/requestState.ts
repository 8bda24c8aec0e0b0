import { isRecord } from '../../../platform/isRecord.ts';
import { mcpErrors, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { mapAnswer } from '../aggregation/aggregation.ts';
import { RpcRefusal } from '../answers.ts';
import { callerOf } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';

/**
 * A server that wants to know something first answers with `input_required` and a state that the client brings along
 * when it asks again. It passes through the client, so it is sealed: for this caller, this server and this request.
 */
export function openState(mcp: McpRequest, serverId: string, request: RpcRequest): RpcRequest {
  const sealed = request.params?.['requestState'];
  if (sealed === undefined) return request;
  const state = typeof sealed === 'string' ? mcp.deps.sealer.open(sealed, subject(mcp, serverId, request)) : undefined;
  if (typeof state !== 'string') {
    throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: requestState was not issued for this request');
  }
  return { ...request, params: { ...request.params, requestState: state } };
}

export function sealState(
  mcp: McpRequest,
  serverId: string,
  request: RpcRequest,
  reply: Reply,
): Promise<Reply> | Reply {
  if (mcp.era === 'legacy') return reply;
  return mapAnswer(reply, request, (answer) => {
    if (!('result' in answer) || !isRecord(answer.result) || answer.result['resultType'] !== 'input_required')
      return undefined;
    const { requestState } = answer.result;
    if (typeof requestState !== 'string') return undefined;
    const sealed = mcp.deps.sealer.seal(requestState, subject(mcp, serverId, request));
    return { ...answer, result: { ...answer.result, requestState: sealed } };
  });
}

function subject(mcp: McpRequest, serverId: string, { method, params }: RpcRequest): string {
  const about = params?.['name'] ?? params?.['uri'] ?? '';
  return ['mcp-state', callerOf(mcp.context), serverId, method, JSON.stringify(about)].join('\u0000');
}
