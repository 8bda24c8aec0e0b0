import { Fault } from '../../../platform/faults.ts';

/** Why a backend gave no answer. */
export type FailureKind =
  | 'unreachable'
  | 'timeout'
  | 'ended'
  | 'garbage'
  | 'too_large'
  | 'status'
  | 'session_lost'
  | 'circuit_open'
  | 'cancelled'
  | 'document'
  | 'not_allowed';

/**
 * A backend did not answer as it should. `mayHaveRun` distinguishes a request that never left from one that the server may have
 * carried out: only the former may be tried again. The message is for the caller and holds no address.
 */
export class BackendFailure extends Error {
  override readonly name = 'BackendFailure';
  /** The log needs no stack of it. */
  readonly isExpected = true;
  readonly kind: FailureKind;
  readonly mayHaveRun: boolean;
  /** HTTP status of the backend, for `status`. */
  readonly status: number | undefined;
  /** The backend's `WWW-Authenticate`, for 401. */
  readonly challenge: string | undefined;
  /** For `circuit_open`: how long it stays so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    more: {
      mayHaveRun: boolean;
      status?: number;
      challenge?: string | undefined;
      retryAfterMs?: number;
      cause?: unknown;
    },
  ) {
    super(message, { cause: more.cause });
    this.kind = kind;
    this.mayHaveRun = more.mayHaveRun;
    this.status = more.status;
    this.challenge = more.challenge;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** Errors of the socket that come before a byte of the request was written. */
const beforeDispatch = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What an error of the HTTP client means. Errors that are failures already stay as they are. */
export function toFailure(thrown: unknown, name: string): BackendFailure {
  if (thrown instanceof BackendFailure) return thrown;
  if (thrown instanceof Fault && isBeforeDispatch(thrown)) {
    const kind = thrown.code === 'unavailable' ? 'unreachable' : 'not_allowed';
    return new BackendFailure(kind, thrown.message, { mayHaveRun: false, cause: thrown });
  }
  const code = codeOf(thrown);
  if (code !== undefined && beforeDispatch.has(code)) {
    return new BackendFailure('unreachable', `The MCP server '${name}' could not be reached.`, {
      mayHaveRun: false,
      cause: thrown,
    });
  }
  return new BackendFailure('ended', `The MCP server '${name}' closed the connection before it responded.`, {
    mayHaveRun: true,
    cause: thrown,
  });
}

/** An address that is not allowed, a backend that is left alone for a while, or one with too many waiting: nothing was sent. */
function isBeforeDispatch({ code, data }: Fault): boolean {
  if (code === 'forbidden' || code === 'invalid_params') return true;
  const reason = typeof data === 'object' && data !== null && 'reason' in data ? data.reason : undefined;
  return reason === 'circuit_open' || reason === 'busy';
}

function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return 'cause' in thrown ? codeOf(thrown.cause) : undefined;
}

export const timedOut = (name: string, timeoutMs: number) =>
  new BackendFailure('timeout', `The MCP server '${name}' did not respond within ${timeoutMs / 1000} s.`, {
    mayHaveRun: true,
  });

export const garbled = (name: string) =>
  new BackendFailure('garbage', `The MCP server '${name}' returned a response that is not valid MCP.`, {
    mayHaveRun: true,
  });

export const tooLarge = (name: string, maxBytes: number) =>
  new BackendFailure('too_large', `The MCP server '${name}' returned more than ${maxBytes} bytes.`, {
    mayHaveRun: true,
  });

export const endedEarly = (name: string) =>
  new BackendFailure('ended', `The MCP server '${name}' closed the connection before it responded.`, {
    mayHaveRun: true,
  });

/** For requests on a connection that was closed before: nothing was sent. */
export const isOver = (name: string) =>
  new BackendFailure('ended', `The connection to the MCP server '${name}' is closed.`, { mayHaveRun: false });

/** The same failure, from before the call was sent. */
export const notRun = ({ kind, message, status, challenge, cause }: BackendFailure) =>
  new BackendFailure(kind, message, {
    mayHaveRun: false,
    challenge,
    cause,
    ...(status !== undefined && { status }),
  });

/** Too many requests failed, so this one is not sent. */
export const circuitOpen = (name: string, retryAfterMs: number) =>
  new BackendFailure(
    'circuit_open',
    `Too many requests to the MCP server '${name}' failed, so no more are sent for now. The gateway tries again in ${Math.ceil(retryAfterMs / 1_000)} s.`,
    { mayHaveRun: false, retryAfterMs },
  );

export const cancelled = () => new BackendFailure('cancelled', 'The call was canceled.', { mayHaveRun: true });
