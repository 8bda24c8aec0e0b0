import type { Fault } from '../../../platform/faults.ts';
import type { AwsCredentialSource } from '../aws/credentials.ts';
import type { HoldsKey } from '../keyGuard.ts';
import type { ClientTokens } from '../oauth/clientTokens.ts';
import type { ExchangedTokens } from '../oauth/exchangedTokens.ts';
import type { UserTokens } from '../oauth/userTokens.ts';
import type { BackendSecrets, McpRegistration } from '../registration.ts';

/** The credential that was used: the values of `x-mcp-debug-auth-resolution` that can occur here. */
export type AuthResolution =
  | 'per-request-header'
  | 'm2m-client-credentials'
  | 'static-token'
  | 'oauth2-passthrough'
  | 'stored-user-token'
  | 'token-exchange'
  | 'aws-sigv4'
  | 'extra-headers'
  | 'no-auth';

/** A request of which every header is final. Only text and bytes can be signed; a stream has no hash. */
export interface FinalRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What one call is authenticated with at the backend. */
export interface Credential {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly resolution: AuthResolution;
  /** Two calls with the same word act as the same person there. Holds no secret. */
  readonly identity: string;
  /** Headers to add when all others are final. */
  readonly sign?: (request: FinalRequest) => Promise<Readonly<Record<string, string>>>;
  /** After a 401 of the backend: another credential for one more try. Absent where there can be none. */
  readonly renew?: (signal: AbortSignal) => Promise<Credential>;
  /** The backend refused for want of these scopes. @returns the answer for the caller; absent where nobody can sign in */
  readonly needs?: (scopes: readonly string[]) => Promise<Fault>;
}

/** Who calls, as far as credentials depend on it. */
export interface AuthCaller {
  /** Whose stored tokens are used: the same word for the same person on every replica. */
  readonly user: string;
  /** The caller's own bearer token, when it is not the virtual key. */
  readonly bearer?: string | undefined;
  readonly holdsKey: HoldsKey;
}

export interface AuthRequest {
  readonly server: McpRegistration;
  readonly secrets: BackendSecrets;
  readonly caller: AuthCaller;
  readonly signal: AbortSignal;
}

/** What lives longer than a call. */
export interface AuthDeps {
  readonly userTokens: UserTokens;
  readonly clientTokens: ClientTokens;
  readonly exchangedTokens: ExchangedTokens;
  readonly aws: AwsCredentialSource;
  /** HMAC-SHA-256 under a secret of this gateway, as hex: for identities and cache keys. */
  readonly fingerprint: (text: string) => string;
  readonly nowMs: () => number;
}

/** What an auth type does to a request. What everybody else knows of it is its definition in the protocol. All pass the same contract suite. */
export interface Authenticator {
  /**
   * What is wrong with a registration, when it is saved.
   * @throws {Fault} `invalid_params` naming the field
   */
  check(server: McpRegistration, secrets: BackendSecrets): void;
  /**
   * @throws {Fault} `auth_required` where the caller has to do something first (sign in, bring a token); `unavailable`
   *   where the credential cannot be had now; `invalid_params` for a registration that `check` refuses
   */
  credential(request: AuthRequest, deps: AuthDeps): Credential | Promise<Credential>;
}
