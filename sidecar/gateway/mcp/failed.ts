import { Fault } from '../../platform/faults.ts';
import { BackendFailure } from '../backends/mcp/failure.ts';
import { HandshakeRefused } from '../backends/mcp/handshake.ts';
import { RpcRefusal } from './answers.ts';
import type { McpRecord } from './mcpDeps.ts';

type Failed = Parameters<McpRecord['finish']>[0] & { readonly error: string; readonly error_code: string };

/** What the record of a request says of what was thrown: words for people, a code for filters. */
export function failedBy(thrown: unknown): Failed {
  const failed = (error: string, code: string | number): Failed => ({
    status: 'failure',
    error,
    error_code: `${code}`,
  });
  if (thrown instanceof Fault) return failed(thrown.message, thrown.code);
  if (thrown instanceof BackendFailure) return failed(thrown.message, thrown.kind);
  if (thrown instanceof RpcRefusal) return failed(thrown.message, thrown.code);
  if (thrown instanceof HandshakeRefused) return failed('The server rejected the initialize request.', 'status');
  return failed('internal error', 'internal');
}

export const callerLeft: Failed = { status: 'failure', error: 'The caller disconnected.', error_code: 'caller_left' };
