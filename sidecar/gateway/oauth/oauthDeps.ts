import type { Runtime } from '../../platform/runtime.ts';
import type { Sealer } from '../../platform/seal.ts';
import type { Attempts } from '../auth/attempts.ts';
import type { CallContext, Caller } from '../auth/caller.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import type { Registered, UpstreamSignIn } from '../backends/oauth/flow.ts';
import type { McpRegistration } from '../backends/registration.ts';
import type { PublicContext } from '../routing/route.ts';
import type { Audience } from './addresses.ts';
import type { FetchDocument } from './clientDocuments.ts';
import type { DelegatedSignIn } from './delegated.ts';
import type { Claims } from './revocations.ts';

/** The signed-in browsers of the gateway's own pages. */
export interface BrowserSessions {
  /** @returns the value of `Set-Cookie` */
  begin(token: string, nowMs: number): string;
  /** The hash of the key that a browser signed in with. */
  read(cookies: string | undefined, nowMs: number): string | undefined;
}

/** What an address is for one caller. */
export interface Reach {
  /** What the servers behind it are called. */
  readonly names: readonly string[];
  /** The one server behind it, where people sign in to that server themselves. */
  readonly signIn: Registered | undefined;
}

/** What the authorization server asks of the rest of the gateway. Every function throws {Fault} `unavailable` without a store. */
export interface OAuthServerAccess {
  /** @returns `undefined` where the address means nothing to this caller: hidden and unknown alike */
  reach(caller: Caller, audience: Audience, facts: PublicContext): Promise<Reach | undefined>;
  /** A server that people sign in to, among those that this caller may use. */
  signInServer(context: CallContext, serverId: string): Promise<Registered | undefined>;
  /** Any registered server, for the end of a sign-in that was begun. */
  server(serverId: string): Promise<Registered | undefined>;
  /** What a server that authenticates callers itself says of who gives out its tokens; `undefined` for every other. */
  delegatedResource(serverId: string): Promise<object | undefined>;
  /** Whose stored tokens a caller uses. */
  userOf(caller: Caller): string;
  hasToken(server: McpRegistration, user: string): Promise<boolean>;
  /** A person signed in to a server: what was remembered of them is looked at anew. */
  connected(serverId: string, user: string): void;
}

export interface OAuthDeps extends Pick<Runtime, 'clock' | 'newId' | 'random'> {
  readonly sealer: Sealer;
  /** Makes the secrets of clients; 32 bytes, the same on all replicas, for nothing else. */
  readonly clientSecretKey: Uint8Array;
  readonly fetchDocument: FetchDocument;
  /** Redirect addresses beside https and this machine, each to the letter. */
  readonly trustedRedirects: readonly string[];
  readonly claims: Claims;
  readonly delegated: DelegatedSignIn;
  readonly callers: Pick<CallerResolver, 'resolve' | 'byHash'>;
  readonly upstream: Pick<UpstreamSignIn, 'begin' | 'finish'>;
  readonly serverAccess: OAuthServerAccess;
  /** Of clients, by address. Absent: as many as anybody wants. */
  readonly registrations: Attempts | undefined;
}
