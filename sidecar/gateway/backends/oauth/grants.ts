import type { TokenEndpointResponse } from 'openid-client';
import { Fault } from '../../../platform/faults.ts';
import type { TokenClient } from './tokenClient.ts';

/** What a token endpoint gave. */
export interface GrantedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since 1970; absent where the server did not say. */
  readonly expiresAtMs?: number;
  readonly scopes?: readonly string[];
  readonly issuedTokenType?: string;
}

/** The codes of RFC 6749, 7009, 8693 and 8707 that are shown to people; no other text of a server is repeated. */
const knownErrors: ReadonlySet<string> = new Set([
  'access_denied',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

/** The grant is over: a revoked or used refresh token, an expired code. Somebody has to sign in again. */
export class InvalidGrant extends Error {
  override readonly name = 'InvalidGrant';
}

/**
 * Runs one request to a token endpoint.
 * @param work gets the library; its answer is the endpoint's
 * @throws {InvalidGrant} where the server says so; {Fault} `unavailable` with the server's error code otherwise. What the
 *   server wrote beside the code is not repeated: it may quote what we sent.
 */
export async function grant(
  client: TokenClient,
  nowMs: () => number,
  work: (client: TokenClient) => Promise<TokenEndpointResponse>,
): Promise<GrantedToken> {
  const answer = await work(client).catch((thrown: unknown) => {
    throw grantFailure(thrown);
  });
  const { access_token, refresh_token, expires_in, scope, token_type } = answer;
  if (token_type.toLowerCase() !== 'bearer') throw grantFailure(new Error('not a bearer token'));
  const issuedTokenType = answer['issued_token_type'];
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(expires_in !== undefined && { expiresAtMs: nowMs() + expires_in * 1_000 }),
    ...(scope !== undefined && { scopes: scope.split(' ').filter((it) => it !== '') }),
    ...(typeof issuedTokenType === 'string' && { issuedTokenType }),
  };
}

function grantFailure(thrown: unknown): Error {
  const code = errorCodeOf(thrown);
  if (code === 'invalid_grant') return new InvalidGrant('the authorization server returned invalid_grant');
  const fault = faultIn(thrown);
  if (fault) return fault;
  return new Fault(
    'unavailable',
    code === undefined
      ? 'The authorization server did not return a usable response.'
      : `The authorization server returned the error '${code}'.`,
    { data: { reason: 'authorization_server', ...(code !== undefined && { error: code }) }, cause: kindOf(thrown) },
  );
}

/** The RFC 6749 code in an error of the library; undefined for others and for codes that are none of ours. */
function errorCodeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('error' in thrown)) return undefined;
  const { error } = thrown;
  return typeof error === 'string' && knownErrors.has(error) ? error : undefined;
}

/** Our own fetch failed inside of the library, which wraps what is thrown. */
function faultIn(thrown: unknown): Fault | undefined {
  let at = thrown;
  for (let depth = 0; depth < 4 && at instanceof Error; depth += 1) {
    if (at instanceof Fault) return at;
    at = at.cause;
  }
  return undefined;
}

/** For the log: which kind of failure, without the words of the server. */
function kindOf(thrown: unknown): Error {
  const code = thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : 'unknown';
  return new Error(`token endpoint: ${code}`);
}

/** Error codes of an authorization response, as far as they are repeated to people. */
export const knownError = (code: string): string => (knownErrors.has(code) ? code : 'server_error');
