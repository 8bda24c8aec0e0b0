import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import { readBody } from '../../platform/requestBody.ts';
import type { Sealer } from '../../platform/seal.ts';
import type { CallContext } from '../auth/caller.ts';
import { labelOf } from '../backends/registration.ts';
import type { PublicContext } from '../routing/route.ts';
import { markBrowser, markOf, PAGE_MS } from './cookies.ts';
import { isFromOwnPage, readForm } from './form.ts';
import type { BrowserSessions, OAuthDeps } from './oauthDeps.ts';
import { connectPage, leavePage, messagePage } from './pages.ts';
import type { SignIns } from './signIns.ts';

/** How long the address of a sign-in is good; it leads to one sign-in alone. */
export const TICKET_MS = 60_000;
const MAX_BODY_BYTES = 4_096;

const Body = z.strictObject({
  /** Where the browser goes in the end: a page of ours. */
  return_to: z
    .string()
    .max(512)
    .regex(/^\/ui\/[\w/?=&%-]*$/)
    .nullish(),
});
const Ticket = z.object({
  id: z.string(),
  server: z.string(),
  user: z.string(),
  /** Hash of the key, and what it is called. */
  token: z.string(),
  key: z.string(),
  to: z.string().optional(),
  until: z.number(),
  /** Of the browser that was asked, in a form. */
  mark: z.string().optional(),
});
type Ticket = z.infer<typeof Ticket>;

export interface ConnectDeps
  extends Pick<OAuthDeps, 'sealer' | 'claims' | 'serverAccess' | 'clock' | 'newId' | 'random'> {
  readonly sealer: Sealer;
  readonly sessions: BrowserSessions;
  readonly signIns: SignIns;
}

/** A person's sign-in to a server that the gateway uses for them, begun outside of a browser. */
export class Connect {
  readonly #deps: ConnectDeps;

  constructor(deps: ConnectDeps) {
    this.#deps = deps;
  }

  /**
   * `POST /v1/mcp/server/{id}/sign-in`: `{url}` for the caller's browser, good for 60 s and once.
   *
   * @throws {Fault} `not_found` for a server that the caller may not use or nobody signs in to; `invalid_params`
   */
  async ticket(request: HttpRequest, serverId: string, context: CallContext): Promise<HttpResponse> {
    const { serverAccess, clock, sealer, newId } = this.#deps;
    const body = Body.safeParse(parsed(await readBody(request, MAX_BODY_BYTES)));
    if (!body.success) {
      throw new Fault('invalid_params', "'return_to' must be a path under /ui/.", { data: { field: 'return_to' } });
    }
    const found = await serverAccess.signInServer(context, serverId);
    if (!found) throw new Fault('not_found', 'MCP server not found, or it does not support sign-in.');
    const { key } = context.caller;
    const ticket: Ticket = {
      id: newId(),
      server: found.server.server_id,
      user: serverAccess.userOf(context.caller),
      token: key.token,
      key: key.key_alias || key.key_name,
      to: body.data.return_to ?? undefined,
      until: clock.nowMs() + TICKET_MS,
    };
    const url = `${context.baseUrl}/connect?ticket=${sealer.seal(ticket, 'connect ticket')}`;
    return Response.json({ url }, { headers: { 'cache-control': 'no-store' } });
  }

  /**
   * `/connect`. A browser that is signed in with the very key goes on at once; any other is asked first, because
   * whoever made the ticket gets what the person allows (`security.confused-deputy`).
   */
  async handle(request: HttpRequest, facts: PublicContext): Promise<HttpResponse> {
    const { sessions, clock } = this.#deps;
    if (request.method === 'POST') return this.#answered(request, facts);
    const ticket = this.#open(new URL(request.url).searchParams.get('ticket') ?? '', 'connect ticket');
    if (!ticket) return stale();
    const signedIn = sessions.read(facts.cookie, clock.nowMs());
    if (signedIn === ticket.token && request.headers.get('sec-fetch-site') === 'same-origin') {
      return this.#begin(ticket, facts);
    }
    const found = await this.#deps.serverAccess.server(ticket.server);
    if (!found) return stale();
    const mark = markBrowser(facts.cookie, facts.baseUrl, this.#deps);
    const asked: Ticket = { ...ticket, mark: mark.digest, until: clock.nowMs() + PAGE_MS };
    const form = this.#deps.sealer.seal(asked, 'connect form');
    return connectPage(form, labelOf(found.server), ticket.key, { cookies: [mark.cookie] });
  }

  async #answered(request: HttpRequest, facts: PublicContext): Promise<HttpResponse> {
    const form = await readForm(request);
    const ticket = this.#open(form.get('form') ?? '', 'connect form');
    const isOurs = isFromOwnPage(request, facts.baseUrl) && ticket?.mark === markOf(facts.cookie, facts.baseUrl);
    if (!ticket?.mark || !isOurs) return stale();
    if (form.get('answer') !== 'allow') return messagePage('You are not signed in', 'You can close this page.');
    return this.#begin(ticket, facts);
  }

  async #begin(ticket: Ticket, { baseUrl }: PublicContext): Promise<HttpResponse> {
    const { claims, clock, serverAccess, signIns } = this.#deps;
    if (!(await claims.claim(`connect ${ticket.id}`, clock.nowMs() + 2 * PAGE_MS))) return stale();
    const found = await serverAccess.server(ticket.server);
    if (!found) return stale();
    try {
      const { url, cookie } = await signIns.beginForPage(found, ticket.user, ticket.to, baseUrl);
      return leavePage(url, `Sign in to ${labelOf(found.server)}`, [cookie]);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      return messagePage('You are not signed in', thrown.message, { status: 503 });
    }
  }

  #open(text: string, subject: string): Ticket | undefined {
    const ticket = Ticket.safeParse(this.#deps.sealer.open(text, subject)).data;
    return ticket && this.#deps.clock.nowMs() < ticket.until ? ticket : undefined;
  }
}

function parsed(text: string | undefined): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined; // the schema refuses it
  }
}

const stale = () =>
  messagePage('Sign-in failed', 'This sign-in has expired, was already used, or was started in another browser.', {
    status: 400,
  });
