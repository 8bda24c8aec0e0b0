import * as z from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import { checkAddress } from '../auth/allowedIps.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import type { PeopleSignIn } from '../oauth/signin/contract.ts';
import type { PublicContext } from '../routing/route.ts';
import { checkOwnPage } from './ownPage.ts';
import type { UiSessions } from './uiSession.ts';

const Body = z.strictObject({ key: z.string().min(1).max(512) });

interface Room {
  readonly callers: CallerResolver;
  readonly ui: UiSessions;
  readonly clock: Clock;
  readonly people: PeopleSignIn | undefined;
}

/**
 * `POST /ui/session` signs a browser in with a key, `DELETE` out again. The key stays in the request. Where the browser signs
 * out at the identity provider too, the answer has its address as `url`.
 */
export async function uiSession(
  request: HttpRequest,
  context: PublicContext,
  { callers, ui, clock, people }: Room,
): Promise<HttpResponse> {
  checkOwnPage(request);
  if (request.method === 'DELETE') {
    const headers = { 'set-cookie': ui.end };
    const url = await people?.end(context);
    return url === undefined ? new Response(null, { status: 204, headers }) : Response.json({ url }, { headers });
  }
  if (request.method !== 'POST') throw new Fault('not_found', 'No such address.');
  if (people?.allowsKeys === false)
    throw new Fault('forbidden', `Keys do not sign in to these pages. Sign in with ${people.name}.`);
  const parsed = Body.safeParse(await request.json().catch(() => undefined));
  if (!parsed.success)
    throw new Fault('invalid_params', 'The body must contain one member: key.', { data: { field: 'key' } });
  const { clientAddress: from } = context;
  const caller = await callers.resolve({ key: parsed.data.key, header: 'body' }, { tags: [], debug: false }, from);
  checkAddress(caller, from);
  const { token } = caller.key;
  return new Response(null, { status: 204, headers: { 'set-cookie': ui.begin(token, clock.nowMs()) } });
}
