import { tokenOrigins } from '../../wire/serverOrigins.ts';
import type { McpRegistration } from '../registration.ts';

/** For which server; what was given for other origins, as `tokenOrigins` names them, is not there. */
export interface ClientRef {
  readonly server_id: string;
  readonly origins: string;
}
/** Whose token for which server. */
export interface UserTokenRef extends ClientRef {
  readonly user: string;
}
/** Whatever it was given for. */
export type AnyTokenRef = Omit<UserTokenRef, 'origins'>;

export const clientRefOf = (server: McpRegistration): ClientRef => ({
  server_id: server.server_id,
  origins: tokenOrigins(server),
});
export const refOf = (server: McpRegistration, user: string): UserTokenRef => ({ user, ...clientRefOf(server) });

/** What a person's sign-in at a server's authorization server gave us. All of it is secret at rest. */
export interface UserToken {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  /** Milliseconds since 1970; absent where the server did not say. */
  readonly expires_at_ms?: number | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** What the server refused a call for: the next sign-in asks for it, too. */
  readonly missing_scopes?: readonly string[] | undefined;
  /** Who issued it, which alone may renew it. Absent for older ones, and where a program brought it and only the registration says. */
  readonly issuer?: string | undefined;
  /** The origin of the token endpoint that gave it; absent as `issuer` is. */
  readonly renewed_at?: string | undefined;
  /** Milliseconds since 1970. */
  readonly connected_at_ms: number;
}

/** Stored tokens, handed in by whoever keeps them encrypted. Errors of the store pass through. */
export interface UserTokenStore {
  read(ref: UserTokenRef): Promise<UserToken | undefined>;
  write(ref: UserTokenRef, token: UserToken): Promise<void>;
  remove(ref: AnyTokenRef): Promise<void>;
  /** Runs the work while nobody else, on no other replica either, runs work for the same token. */
  lease<T>(ref: AnyTokenRef, work: () => Promise<T>): Promise<T>;
}

/** What discovery and dynamic registration (RFC 7591) gave us for a server. `client_secret` is secret at rest. */
export interface RegisteredClient {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
  readonly redirect_uris: readonly string[];
}

export interface RegisteredClientStore {
  read(ref: ClientRef): Promise<RegisteredClient | undefined>;
  write(ref: ClientRef, client: RegisteredClient): Promise<void>;
  /** Runs the work while nobody else, on no other replica either, registers a client for the same server. */
  lease<T>(ref: ClientRef, work: () => Promise<T>): Promise<T>;
}

export interface UsedStates {
  /** True for the first who asks, on whichever replica; false for everybody after. Forgotten after `expiresAtMs`. */
  claim(id: string, expiresAtMs: number): Promise<boolean>;
}
