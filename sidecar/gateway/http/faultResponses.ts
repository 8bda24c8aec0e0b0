import type { Fault, FaultCode } from '../../platform/faults.ts';
import { TextResponse } from '../../platform/httpMessages.ts';
import type { Route } from '../routing/route.ts';

/** HTTP status and `error.type` of every fault. A code that is missing here does not compile. */
const answers: Record<FaultCode, readonly [status: number, type: string]> = {
  invalid_params: [400, 'bad_request_error'],
  not_found: [404, 'not_found_error'],
  session_not_found: [404, 'not_found_error'],
  provider_not_found: [404, 'not_found_error'],
  session_exists: [409, 'conflict_error'],
  turn_in_progress: [409, 'conflict_error'],
  unsupported_version: [400, 'bad_request_error'],
  content_not_found: [404, 'not_found_error'],
  auth_required: [401, 'auth_error'],
  forbidden: [403, 'permission_error'],
  already_exists: [409, 'conflict_error'],
  conflict: [409, 'conflict_error'],
  command_missing: [503, 'service_unavailable_error'],
  folder_gone: [404, 'not_found_error'],
  folder_needed: [400, 'bad_request_error'],
  not_trusted: [403, 'permission_error'],
  unavailable: [503, 'service_unavailable_error'],
  budget_exceeded: [429, 'budget_exceeded'],
  // Not 429, after which clients try again: a person decided to stop.
  budget_stopped: [400, 'budget_exceeded'],
  rate_limited: [429, 'throttling_error'],
  usage_limited: [429, 'throttling_error'],
  too_large: [413, 'request_too_large'],
  internal: [500, 'internal_server_error'],
};

/** The body of every HTTP error of the gateway: `{error: {message, type, param, code}}`, `code` a string. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly resets_at?: string;
  };
}

/** @param challenge of `WWW-Authenticate`, for answers that ask for a credential */
export function faultResponse(fault: Fault, challenge?: string, dialect?: Route['dialect']): TextResponse {
  const [status, plain] = answers[fault.code];
  const data = membersOf(fault.data);
  const type = textOf(data['reason']) ?? plain;
  const resetsAt = textOf(data['resets_at']);
  const body: ErrorBody = {
    error: {
      message: fault.message,
      type,
      param: textOf(data['field']) ?? null,
      code: String(status),
      ...(resetsAt !== undefined && { resets_at: resetsAt }),
    },
  };
  const response = TextResponse.json(dialect ? dialectBodies[dialect](body.error, status) : body, status);
  const { headers } = response;
  headers.set('cache-control', 'no-store');
  if (status === 401 && challenge !== undefined) headers.set('www-authenticate', challenge);
  const wait = data['retry_after_s'] ?? msToSeconds(data['retry_after_ms']);
  if (typeof wait === 'number') headers.set('retry-after', String(Math.max(1, Math.ceil(wait))));
  return response;
}

/** Errors in the formats of other providers, whose client libraries raise exceptions according to these words. */
const dialectBodies: Readonly<
  Record<NonNullable<Route['dialect']>, (error: ErrorBody['error'], status: number) => object>
> = {
  messages: ({ message, resets_at }, status) => ({
    type: 'error',
    error: { type: messagesTypes[status] ?? 'api_error', message, ...(resets_at !== undefined && { resets_at }) },
  }),
  gemini: ({ message }, status) => ({
    error: { code: status, message, status: geminiStates[status] ?? 'INTERNAL' },
  }),
};

const messagesTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
};
const geminiStates: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

const msToSeconds = (ms: unknown) => (typeof ms === 'number' ? ms / 1000 : undefined);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const membersOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};

/** RFC 9728: where a client learns how to get a token for this address. */
export function challengeFor(baseUrl: string, path: string, isBadToken: boolean): string {
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${path}"`;
  return isBadToken ? `Bearer error="invalid_token", ${metadata}` : `Bearer ${metadata}`;
}
