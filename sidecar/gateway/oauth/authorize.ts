import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import type { Sealer } from '../../platform/seal.ts';
import type { Caller } from '../auth/caller.ts';
import type { PublicContext } from '../routing/route.ts';
import { type AuthorizeDeps, answerUrl, Pending, RedirectedRefusal, readAuthorizeRequest } from './authorizeRequest.ts';
import { markBrowser, markOf, PAGE_MS } from './cookies.ts';
import { isFromOwnPage, readForm } from './form.ts';
import type { Grants } from './grants.ts';
import type { BrowserSessions, OAuthDeps, Reach } from './oauthDeps.ts';
import { consentPage, leavePage, messagePage, signInPage } from './pages.ts';
import { placeName } from './redirects.ts';
import { OAuthRefusal } from './refusal.ts';
import type { SignIns } from './signIns.ts';

/** What a form of ours brings back: sealed, for the browser that it was shown in, and for ten minutes. */
const Form = z.object({
  pending: Pending,
  mark: z.string(),
  until: z.number(),
  /** Hash of the key whose rights were shown; absent before the person signed in. */
  token: z.string().optional(),
});
type Form = z.infer<typeof Form>;
const SUBJECT = 'oauth authorize form';

export interface AuthorizePageDeps
  extends AuthorizeDeps,
    Pick<OAuthDeps, 'callers' | 'serverAccess' | 'clock' | 'random'> {
  readonly sealer: Sealer;
  readonly sessions: BrowserSessions;
  readonly grants: Grants;
  readonly signIns: SignIns;
}

/**
 * `/authorize` and `/{s}/authorize`: identifies the person and asks for their consent to this client (RFC 6749 4.1).
 */
export class Authorize {
  readonly #deps: AuthorizePageDeps;

  constructor(deps: AuthorizePageDeps) {
    this.#deps = deps;
  }

  /** @param prefix in front of `/authorize`: empty, or `/{s}` */
  async handle(request: HttpRequest, prefix: string, facts: PublicContext): Promise<HttpResponse> {
    try {
      if (request.method === 'GET') return await this.#asked(new URL(request.url).searchParams, prefix, facts);
      return await this.#answered(request, facts);
    } catch (thrown) {
      if (thrown instanceof OAuthRefusal) return refusedPage(thrown.message);
      if (thrown instanceof RedirectedRefusal) return refusedAtClient(thrown, facts.baseUrl);
      throw thrown;
    }
  }

  async #asked(query: URLSearchParams, prefix: string, facts: PublicContext): Promise<HttpResponse> {
    const pending = await readAuthorizeRequest(query, prefix, facts.baseUrl, this.#deps);
    const token = this.#deps.sessions.read(facts.cookie, this.#deps.clock.nowMs());
    const caller = token === undefined ? undefined : await this.#known(token);
    return caller ? this.#consent(pending, caller, facts, []) : this.#signIn(pending, facts);
  }

  async #answered(request: HttpRequest, facts: PublicContext): Promise<HttpResponse> {
    const form = await readForm(request);
    const { pending, token } = this.#opened(request, form, facts);
    if (token !== undefined) {
      const caller = await this.#known(token);
      if (!caller) return this.#signIn(pending, facts, 'This key is no longer valid. Sign in with another one.');
      if (form.get('answer') !== 'allow') return this.#denied(pending, facts);
      return this.#allowed(pending, caller, facts);
    }
    const key = form.get('key')?.trim() ?? '';
    const caller =
      key === ''
        ? undefined
        : await this.#orNobody(() => this.#deps.callers.resolve({ key, header: 'form' }, nobody, facts.clientAddress));
    if (!caller) return this.#signIn(pending, facts, 'This key is unknown or no longer valid.');
    const session = this.#deps.sessions.begin(caller.key.token, this.#deps.clock.nowMs());
    return this.#consent(pending, caller, facts, [session]);
  }

  #opened(request: HttpRequest, form: URLSearchParams, { baseUrl, cookie }: PublicContext): Form {
    const opened = Form.safeParse(this.#deps.sealer.open(form.get('form') ?? '', SUBJECT)).data;
    const isOurs = opened !== undefined && isFromOwnPage(request, baseUrl) && opened.mark === markOf(cookie, baseUrl);
    if (isOurs && this.#deps.clock.nowMs() < opened.until) return opened;
    throw new OAuthRefusal('invalid_request', 'This page has expired or was opened in another browser. Start again.');
  }

  #signIn(pending: Pending, facts: PublicContext, problem?: string): Response {
    const { form, cookie } = this.#seal({ pending }, facts);
    return signInPage(form, pending.n, problem, { cookies: [cookie] });
  }

  async #consent(
    pending: Pending,
    caller: Caller,
    facts: PublicContext,
    cookies: readonly string[],
  ): Promise<HttpResponse> {
    const reach = await this.#deps.serverAccess.reach(caller, pending.a, facts);
    if (!reach) return nothingThere(cookies);
    const { form, cookie } = this.#seal({ pending, token: caller.key.token }, facts);
    const next = await this.#needsSignIn(reach, caller);
    return consentPage(
      {
        form,
        client: pending.n,
        place: placeName(pending.r),
        key: caller.key.key_alias || caller.key.key_name,
        servers: reach.names,
        next: next && reach.names[0],
      },
      { cookies: [...cookies, cookie] },
    );
  }

  async #allowed(pending: Pending, caller: Caller, facts: PublicContext): Promise<HttpResponse> {
    const reach = await this.#deps.serverAccess.reach(caller, pending.a, facts);
    if (!reach) return nothingThere([]);
    const server = await this.#needsSignIn(reach, caller);
    if (server) return this.#deps.signIns.beginForClient(server, caller, pending, facts.baseUrl);
    const code = this.#deps.grants.code({ ...pending, t: caller.key.token }, this.#deps.clock.nowMs());
    return leavePage(answerUrl(pending, facts.baseUrl, { code }), `Back to ${pending.n}`);
  }

  #denied(pending: Pending, { baseUrl }: PublicContext): Response {
    const answer = { error: 'access_denied', error_description: 'The user denied access.' };
    return leavePage(answerUrl(pending, baseUrl, answer), `Back to ${pending.n}`);
  }

  async #needsSignIn({ signIn }: Reach, caller: Caller) {
    const { serverAccess } = this.#deps;
    if (!signIn) return undefined;
    return (await serverAccess.hasToken(signIn.server, serverAccess.userOf(caller))) ? undefined : signIn;
  }

  #seal(what: Pick<Form, 'pending' | 'token'>, { cookie, baseUrl }: PublicContext) {
    const mark = markBrowser(cookie, baseUrl, this.#deps);
    const form: Form = { ...what, mark: mark.digest, until: this.#deps.clock.nowMs() + PAGE_MS };
    return { form: this.#deps.sealer.seal(form, SUBJECT), cookie: mark.cookie };
  }

  #known(token: string): Promise<Caller | undefined> {
    return this.#orNobody(() => this.#deps.callers.byHash(token, nobody));
  }

  async #orNobody(resolve: () => Caller | Promise<Caller>): Promise<Caller | undefined> {
    try {
      return await resolve();
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.code === 'auth_required') return undefined;
      throw thrown;
    }
  }
}

const nobody = { tags: [], debug: false };

const refusedPage = (sentence: string) => messagePage('Sign-in failed', sentence, { status: 400 });

const nothingThere = (cookies: readonly string[]) =>
  messagePage('Sign-in failed', 'Your key does not have access to anything at this address.', { status: 404, cookies });

/** To a program of this machine at once; anywhere else only when the person follows the link (RFC 9700 4.11.2). */
function refusedAtClient({ refusal, to, isNear }: RedirectedRefusal, baseUrl: string): Response {
  const { error, message } = refusal;
  const url = answerUrl(to, baseUrl, { error, error_description: message });
  if (isNear) return new Response(null, { status: 302, headers: { location: url, 'cache-control': 'no-store' } });
  const next = { url, label: `Back to ${placeName(to.r)}` };
  return messagePage('Sign-in failed', message, { status: 400, next });
}
