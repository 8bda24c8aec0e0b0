import * as z from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import type { UiSessions } from './uiSession.ts';

const Body = z.strictObject({ key: z.string().min(1).max(512) });

/** `POST /ui/session` signs a browser in with a key, `DELETE` out again. The key stays in the request. */
export async function uiSession(
  request: HttpRequest,
  {
    callers,
    ui,
    clock,
    from,
  }: {
    readonly callers: CallerResolver;
    readonly ui: UiSessions;
    readonly clock: Clock;
    /** The address that asks. */
    readonly from: string;
  },
): Promise<HttpResponse> {
  // A page of another site could sign somebody in or out under another name.
  if (request.headers.get('sec-fetch-site') !== 'same-origin') {
    throw new Fault('forbidden', "Only this gateway's own pages can use this sign-in endpoint.", {
      data: { field: 'sec-fetch-site' },
    });
  }
  if (request.method === 'DELETE') return new Response(null, { status: 204, headers: { 'set-cookie': ui.end } });
  if (request.method !== 'POST') throw new Fault('not_found', 'No such address.');
  const parsed = Body.safeParse(await request.json().catch(() => undefined));
  if (!parsed.success)
    throw new Fault('invalid_params', 'The body must contain one member: key.', { data: { field: 'key' } });
  const { key } = await callers.resolve({ key: parsed.data.key, header: 'body' }, { tags: [], debug: false }, from);
  return new Response(null, { status: 204, headers: { 'set-cookie': ui.begin(key.token, clock.nowMs()) } });
}
