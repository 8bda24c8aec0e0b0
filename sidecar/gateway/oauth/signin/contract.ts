import type { HttpRequest, HttpResponse } from '../../../platform/httpMessages.ts';
import type { SignInConfig } from '../../../protocol/gateway/config/signIn.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Identity } from '../../auth/identity.ts';
import type { PublicContext } from '../../routing/route.ts';

/** As in the configuration, with the secret itself. */
export interface SignInOptions extends Omit<SignInConfig, 'client_secret'> {
  readonly client_secret?: string | undefined;
}

/** The cookie of a signed-in browser. */
export interface PageCookies {
  /** @param session its ID @returns the value of `Set-Cookie` */
  beginPerson(session: string, nowMs: number, untilMs: number): string;
  /** The ID of the session. */
  readPerson(cookies: string | undefined, nowMs: number): string | undefined;
}

/** What the routes of the sign-in do. */
export interface SignInRoutes {
  /** A page wants to sign in. @throws {Fault} `invalid_params`, `unavailable` */
  begin(request: HttpRequest, context: PublicContext): Promise<HttpResponse>;
  /** The provider sent the browser back. Failures are pages. */
  callback(request: HttpRequest, context: PublicContext): Promise<HttpResponse>;
  /** OpenID Connect Back-Channel Logout 1.0. */
  backChannelLogout(request: HttpRequest): Promise<HttpResponse>;
  /**
   * The caller of a session, which the provider confirmed lately.
   * @throws {Fault} `auth_required` where it is over, `unavailable`
   */
  callerOf(session: string, identity: Identity): Promise<Caller>;
  /** Ends the session of a browser. @returns where the browser signs out at the provider, if that is possible */
  end(context: PublicContext): Promise<string | undefined>;
}

/** People who sign in to the gateway's pages with an identity provider. */
export interface PeopleSignIn extends SignInRoutes {
  /** What the provider is called on the page. */
  readonly name: string;
  /** Whether keys sign in to the pages too. */
  readonly allowsKeys: boolean;
}
