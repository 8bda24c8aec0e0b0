import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import type { Caller } from '../auth/caller.ts';
import { type Registered, SignInFailed } from '../backends/oauth/flow.ts';
import type { PublicContext } from '../routing/route.ts';
import { answerUrl, Pending } from './authorizeRequest.ts';
import { cookieOf, endOfFlowCookie, flowCookie, flowCookieName } from './cookies.ts';
import type { Grants } from './grants.ts';
import type { OAuthDeps } from './oauthDeps.ts';
import { leavePage, messagePage } from './pages.ts';

/** What follows a sign-in at a server's authorization server; travels inside the sealed state. */
const After = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('client'), pending: Pending, token: z.string() }),
  z.object({ kind: z.literal('page'), to: z.string().optional() }),
]);
type After = z.infer<typeof After>;

export interface SignInsDeps extends Pick<OAuthDeps, 'upstream' | 'serverAccess' | 'clock'> {
  readonly grants: Grants;
}

/** The gateway's own sign-ins at the authorization servers of MCP servers, and how people come back from there. */
export class SignIns {
  readonly #deps: SignInsDeps;

  constructor(deps: SignInsDeps) {
    this.#deps = deps;
  }

  /** The person let a client in, and signs in to the server next. What fails from here on is reported to the client. */
  async beginForClient(server: Registered, caller: Caller, pending: Pending, baseUrl: string): Promise<HttpResponse> {
    const after: After = { kind: 'client', pending, token: caller.key.token };
    try {
      const { url, cookie } = await this.#begin(server, this.#deps.serverAccess.userOf(caller), after, baseUrl);
      return leavePage(url, `Sign in to ${nameOf(server)}`, [cookie]);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      return leavePage(failureUrl(pending, baseUrl, thrown), `Back to ${pending.n}`);
    }
  }

  /** @param to a path of ours for the end, else a page that may be closed. @throws {Fault} `unavailable` */
  beginForPage(
    server: Registered,
    user: string,
    to: string | undefined,
    baseUrl: string,
  ): Promise<{ readonly url: string; readonly cookie: string }> {
    return this.#begin(server, user, { kind: 'page', to }, baseUrl);
  }

  /** `GET /callback`: the authorization server sent the browser back. */
  async callback(query: URLSearchParams, { cookie, baseUrl }: PublicContext): Promise<HttpResponse> {
    const { serverAccess, upstream } = this.#deps;
    const state = query.get('state') ?? '';
    const cookies = [endOfFlowCookie(state, baseUrl)];
    try {
      const word = cookieOf(cookie, flowCookieName(state));
      const ended = await upstream.finish({ query, cookie: word, find: (id) => serverAccess.server(id) });
      serverAccess.connected(ended.server_id, ended.user);
      return this.#goOn(afterOf(ended.return_to), baseUrl, cookies);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const after = thrown instanceof SignInFailed ? afterOf(thrown.returnTo) : undefined;
      if (after?.kind === 'client') return redirect(failureUrl(after.pending, baseUrl, thrown), cookies);
      return messagePage('You are not signed in', thrown.message, { status: 400, cookies });
    }
  }

  #goOn(after: After | undefined, baseUrl: string, cookies: readonly string[]): Response {
    if (after?.kind === 'client') {
      const code = this.#deps.grants.code({ ...after.pending, t: after.token }, this.#deps.clock.nowMs());
      return redirect(answerUrl(after.pending, baseUrl, { code }), cookies);
    }
    if (after?.to !== undefined) return redirect(`${baseUrl}${after.to}`, cookies);
    return messagePage('You are signed in', 'You can close this page.', { cookies });
  }

  async #begin(server: Registered, user: string, after: After, baseUrl: string) {
    const redirectUri = `${baseUrl}/callback`;
    const begun = await this.#deps.upstream.begin({ ...server, user, redirectUri, returnTo: JSON.stringify(after) });
    const state = new URL(begun.url).searchParams.get('state') ?? '';
    return { url: begun.url, cookie: flowCookie(state, begun.cookie, baseUrl) };
  }
}

/** It was sealed by us: what does not fit is a mistake of ours. */
const afterOf = (text: string | undefined): After | undefined =>
  text === undefined ? undefined : After.parse(JSON.parse(text));

function failureUrl(pending: Pending, baseUrl: string, fault: Fault): string {
  const isRefused = fault.code === 'auth_required';
  const error = isRefused ? 'access_denied' : fault.code === 'unavailable' ? 'temporarily_unavailable' : 'server_error';
  return answerUrl(pending, baseUrl, { error, error_description: fault.message });
}

function redirect(location: string, cookies: readonly string[]): Response {
  const response = new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
  response.headers.set('referrer-policy', 'no-referrer');
  for (const it of cookies) response.headers.append('set-cookie', it);
  return response;
}

const nameOf = ({ server }: Registered) => server.alias || server.server_name || server.server_id;
