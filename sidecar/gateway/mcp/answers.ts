import { mcpErrors, type RpcId, type RpcResponse } from '../../protocol/gateway/mcpWire.ts';
import type { BackendFailure } from '../backends/mcp/failure.ts';
import { replyOf } from '../backends/mcp/replies.ts';
import type { Reply } from '../backends/mcp/types.ts';
import type { EraRefusal } from './era.ts';

/** The gateway refuses a request by an error of the protocol. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
  /** The log needs no stack of it. */
  readonly isExpected = true;
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, more: { readonly status?: number; readonly data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.status = more.status ?? 200;
    this.data = more.data;
  }

  static of({ code, message, status, data }: EraRefusal): RpcRefusal {
    return new RpcRefusal(code, message, { status, data });
  }
}

export const resultReply = (id: RpcId, result: Record<string, unknown>): Reply =>
  replyOf({ jsonrpc: '2.0', id, result });

export function errorMessage(id: RpcId | null, code: number, message: string, data?: unknown): RpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

/** A refusal that an agent can read: the result of the tool, not an error of the protocol. */
export const refusedTool = (id: RpcId, words: string, isModern: boolean): RpcResponse => ({
  jsonrpc: '2.0',
  id,
  result: {
    content: [{ type: 'text', text: `Error: ${words}` }],
    isError: true,
    ...(isModern && { resultType: 'complete' }),
  },
});

/** The sentence for a caller about a backend that failed. */
export function wordsOf(failure: BackendFailure): string {
  return `${failure.message} ${failure.mayHaveRun ? 'The call may have run.' : 'The call was not run.'}`;
}

/** The message that stands for a failed backend: a result for tool calls, an error for everything else. */
export function failureMessage(id: RpcId, method: string, failure: BackendFailure, isModern: boolean): RpcResponse {
  return method === 'tools/call'
    ? refusedTool(id, wordsOf(failure), isModern)
    : errorMessage(id, mcpErrors.internal, wordsOf(failure), {
        reason: failure.kind,
        ...(failure.retryAfterMs !== undefined && { retry_after_ms: failure.retryAfterMs }),
      });
}
