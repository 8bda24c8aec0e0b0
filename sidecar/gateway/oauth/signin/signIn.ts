import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../../platform/httpMessages.ts';
import { readBody } from '../../../platform/requestBody.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { Sealer } from '../../../platform/seal.ts';
import { textClaim } from '../../auth/people/claims.ts';
import type { CallerResolver } from '../../auth/resolve.ts';
import type { SmallFetch } from '../../backends/net/smallFetch.ts';
import { randomWord } from '../../backends/oauth/pkce.ts';
import type { PublicContext } from '../../routing/route.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { cookieOf, endOfFlowCookie, flowCookie, flowCookieName, PAGE_MS } from '../cookies.ts';
import { messagePage } from '../pages.ts';
import type { PageCookies, SignInOptions, SignInRoutes } from './contract.ts';
import { IdentityProvider, LOGOUT_TOKEN_AGE_S, NotVouched } from './identityProvider.ts';
import { isAllowed } from './mapping.ts';
import { personOf } from './person.ts';
import { Sessions } from './sessions.ts';

export interface SignInDeps extends Runtime {
  readonly options: SignInOptions;
  readonly store: GatewayStore;
  readonly callers: Pick<CallerResolver, 'byUser'>;
  /** The guarded way to the provider. */
  readonly fetch: SmallFetch;
  readonly sealer: Sealer;
  readonly cookies: PageCookies;
}

/** Where the browser comes back to. */
export const CALLBACK = '/ui/sign-in/callback';
const SUBJECT = 'sign-in';
const MAX_FORM_BYTES = 65_536;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The page to return to is one of ours: only its query is named. */
const Begin = z.strictObject({
  query: z
    .string()
    .max(2_048)
    .regex(/^(?:\?[\x21-\x7e]*)?$/)
    .default(''),
});
/** What a browser that signs in carries, sealed. */
const Flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  query: z.string(),
  until: z.number(),
});

export function openSignIn(deps: SignInDeps): SignInRoutes {
  const { options, store, clock, log, random, sealer, cookies } = deps;
  const provider = new IdentityProvider(deps);
  const sessions = new Sessions({ ...deps, provider });

  /** @throws {NotVouched} @throws {Fault} */
  async function finish(request: HttpRequest, { cookie, baseUrl }: PublicContext) {
    const { searchParams: query } = new URL(request.url);
    const state = query.get('state') ?? '';
    const sealed = cookieOf(cookie, flowCookieName(state));
    const { data: flow } = Flow.safeParse(sealed === undefined ? undefined : sealer.open(sealed, SUBJECT));
    if (!flow || flow.state !== state || clock.nowMs() >= flow.until)
      throw new Fault('forbidden', 'This sign-in was not started in this browser, or it took too long.');
    if (!(await store.leases.claim(`sign-in ${state}`, flow.until)))
      throw new Fault('forbidden', 'This sign-in was already completed.');
    const client = await provider.client();
    const vouch = await client.exchange(new URL(`${flow.redirectUri}?${query}`), flow);
    if (!isAllowed(options, vouch.claims))
      throw new Fault('forbidden', 'You are not allowed to use this gateway. Ask an administrator for access.');
    const subject = textClaim(vouch.claims, 'sub');
    if (subject === undefined) throw new NotVouched('the subject is missing or too long');
    const { issuer } = client;
    const person = await personOf(deps, { issuer, subject }, vouch.claims);
    const { id, untilMs } = await sessions.begin(person.user_id, issuer, vouch);
    const headers = new Headers({ location: `${baseUrl}/ui/${flow.query}`, 'cache-control': 'no-store' });
    headers.append('set-cookie', endOfFlowCookie(state, baseUrl));
    headers.append('set-cookie', cookies.beginPerson(id, clock.nowMs(), untilMs));
    return new Response(null, { status: 303, headers });
  }

  return {
    callerOf: (session, identity) => sessions.callerOf(session, identity),

    async begin(request, { baseUrl }) {
      const parsed = Begin.safeParse(await request.json().catch(() => undefined));
      if (!parsed.success)
        throw new Fault('invalid_params', "The body can contain one member: query, which begins with '?'.", {
          data: { field: 'query' },
        });
      const state = randomWord(random);
      const redirectUri = `${(options.redirect_base ?? baseUrl).replace(/\/+$/, '')}${CALLBACK}`;
      const checks = { state, nonce: randomWord(random), verifier: randomWord(random) };
      const client = await provider.client();
      const url = await client.authorizationUrl(redirectUri, checks);
      const { query } = parsed.data;
      const flow = sealer.seal({ ...checks, redirectUri, query, until: clock.nowMs() + PAGE_MS }, SUBJECT);
      const headers = { 'set-cookie': flowCookie(state, flow, baseUrl), 'cache-control': 'no-store' };
      return Response.json({ url }, { headers });
    },

    async callback(request, context) {
      try {
        return await finish(request, context);
      } catch (thrown) {
        const isKnown = thrown instanceof Fault || thrown instanceof NotVouched;
        if (!isKnown) throw thrown;
        log.warn({ thrown }, 'A sign-in with the identity provider failed.');
        const words =
          thrown instanceof Fault
            ? thrown.message
            : 'The identity provider did not confirm who you are. Sign in again. If this happens again, ask an administrator.';
        const status = thrown instanceof Fault && thrown.code === 'unavailable' ? 503 : 403;
        const state = new URL(request.url).searchParams.get('state') ?? '';
        return messagePage('You are not signed in', words, {
          status,
          cookies: [endOfFlowCookie(state, context.baseUrl)],
          next: { url: `${context.baseUrl}/ui/`, label: 'Back to sign-in' },
        });
      }
    },

    backChannelLogout: (request) => backChannelLogout(deps, provider, request),

    async end({ cookie, baseUrl }) {
      const id = cookies.readPerson(cookie, clock.nowMs());
      const tokens = id === undefined ? undefined : await sessions.end(id);
      if (!tokens) return undefined;
      try {
        return (await provider.client()).signOutUrl(tokens, `${baseUrl}/ui/`);
      } catch (thrown) {
        // The session here is over all the same.
        log.warn({ thrown }, 'The address for signing out at the identity provider is unknown.');
        return undefined;
      }
    },
  };
}

/** OpenID Connect Back-Channel Logout 1.0, 2.5 to 2.8. */
async function backChannelLogout(
  { store, clock, log }: SignInDeps,
  provider: IdentityProvider,
  request: HttpRequest,
): Promise<HttpResponse> {
  const answer = (status: number, body: object | null) =>
    new Response(body && JSON.stringify(body), {
      status,
      headers: { 'cache-control': 'no-store', ...(body && { 'content-type': 'application/json' }) },
    });
  const text = await readBody(request, MAX_FORM_BYTES);
  const [token, ...more] = new URLSearchParams(text ?? '').getAll('logout_token');
  try {
    if (!token || more.length > 0) throw new NotVouched('there is not one logout token');
    const client = await provider.client();
    const claims = await client.logoutToken(token, clock.nowMs());
    const subject = textClaim(claims, 'sub');
    const provider_session = textClaim(claims, 'sid');
    const events = z.object({ [LOGOUT_EVENT]: z.looseObject({}) }).safeParse(claims['events']);
    if (!events.success || 'nonce' in claims || (subject === undefined && provider_session === undefined))
      throw new NotVouched('the token is not a logout token');
    const untilMs = clock.nowMs() + 2 * LOGOUT_TOKEN_AGE_S * 1_000;
    if (!(await store.leases.claim(`logout token ${String(claims['jti'])}`, untilMs)))
      throw new NotVouched('the logout token was used before');
    const ended = await store.pageSessions.removeOf({ issuer: client.issuer, subject, provider_session });
    log.info({ ended }, 'The identity provider signed a person out.');
    return answer(200, null);
  } catch (thrown) {
    if (!(thrown instanceof NotVouched)) throw thrown;
    log.warn({ thrown }, 'A logout token was refused.');
    return answer(400, { error: 'invalid_request', error_description: 'The logout token is not valid.' });
  }
}
