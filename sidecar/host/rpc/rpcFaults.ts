import { type Fault, type FaultCode, toFault } from '../../platform/faults.ts';
import { errorCodes } from '../../protocol/errors.ts';
import { ResponseError } from '../../transport/responseError.ts';

/** Total by type: a new fault code without a number does not compile. */
const rpcCodeOf: Record<FaultCode, number> = {
  invalid_params: errorCodes.InvalidParams,
  not_found: errorCodes.NotFound,
  session_not_found: errorCodes.SessionNotFound,
  provider_not_found: errorCodes.ProviderNotFound,
  session_exists: errorCodes.SessionAlreadyExists,
  turn_in_progress: errorCodes.TurnInProgress,
  unsupported_version: errorCodes.UnsupportedProtocolVersion,
  content_not_found: errorCodes.ContentNotFound,
  auth_required: errorCodes.AuthRequired,
  forbidden: errorCodes.PermissionDenied,
  already_exists: errorCodes.AlreadyExists,
  conflict: errorCodes.Conflict,
  command_missing: errorCodes.Unavailable,
  folder_gone: errorCodes.NotFound,
  folder_needed: errorCodes.InvalidParams,
  not_trusted: errorCodes.PermissionDenied,
  unavailable: errorCodes.Unavailable,
  budget_exceeded: errorCodes.PermissionDenied,
  budget_stopped: errorCodes.PermissionDenied,
  rate_limited: errorCodes.PermissionDenied,
  usage_limited: errorCodes.Unavailable,
  too_large: errorCodes.InvalidParams,
  internal: errorCodes.InternalError,
};

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export function toRpcError(fault: Fault): RpcError {
  const data = fault.code === 'auth_required' ? withResources(fault.data) : fault.data;
  return { code: rpcCodeOf[fault.code], message: fault.message, ...(data !== undefined && { data }) };
}

/**
 * `data` of -32007 always lists what needs a sign-in (host.error.-32007-data). An agent that declares no resource and
 * wants its own sign-in is listed itself, under an address that leads nowhere (RFC 2606): no token can be sent to it.
 */
function withResources(data: unknown): unknown {
  const given: object = typeof data === 'object' && data !== null ? data : {};
  if ('resources' in given) return given;
  const resources =
    'agent' in given && typeof given.agent === 'string'
      ? [{ resource: `https://agent.invalid/${encodeURIComponent(given.agent)}`, resource_name: given.agent }]
      : [];
  return { resources, ...given };
}

/** What a thrown value becomes on the wire: the text of a bug stays in the log, under an id. */
export function thrownToRpcError(thrown: unknown, report: (id: string, thrown: unknown) => void): RpcError {
  if (thrown instanceof ResponseError) return { code: thrown.code, message: thrown.message, data: thrown.data };
  return toRpcError(toFault(thrown, report));
}
