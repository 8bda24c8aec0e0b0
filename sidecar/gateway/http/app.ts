import type { ServerResponse } from 'node:http';
import { Fault, toFault } from '../../platform/faults.ts';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import { newTimedId } from '../../platform/ids.ts';
import type { CallContext } from '../auth/caller.ts';
import { Progress } from '../auth/progress.ts';
import { checkTarget } from '../routing/plainPath.ts';
import { type Route, type Surface, templateOf } from '../routing/route.ts';
import type { Match, RouteTable } from '../routing/routeTable.ts';
import type { AddressGuard } from './addressGuard.ts';
import { checkCall } from './checkCall.ts';
import { challengeFor, faultResponse } from './faultResponses.ts';
import { type IdentifyDeps, identify, Unauthorized } from './identify.ts';
import { clientAddress } from './inbound.ts';
import type { IncomingRequest } from './incomingRequest.ts';
import { addProgressHeaders } from './progressHeaders.ts';
import type { ServedRoute } from './routes.ts';
import { sendResponse } from './sendResponse.ts';
import { sendStream } from './sendStream.ts';

/** Answers one request of the listener. Failures are answers. */
export type App = (request: IncomingRequest, outgoing: ServerResponse) => Promise<void>;

export interface AppDeps extends IdentifyDeps {
  readonly routes: RouteTable<ServedRoute>;
  readonly guard: () => AddressGuard;
  /** @param host of the request, after the guard let it pass */
  readonly baseUrl: (host: string) => string;
  /** The gateway leaves soon: connections are not kept for a next request. */
  readonly isLeaving: () => boolean;
  /** A call of a known caller that no part of the gateway gets to see. @param template of the route */
  readonly refused: (context: CallContext, template: string, fault: Fault) => void;
}

/** A request on its way: what each step adds is there for those after it. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly requestId: string;
  readonly progress: Progress;
}

interface Served {
  readonly response: HttpResponse;
  /** It can break on its way; everything else is a text or bytes of our own. */
  readonly comesInPieces: boolean;
}

/**
 * The gateway's front. A request goes through these steps, each of which may refuse it:
 *
 * 1. {@link checkAddress}: is it meant for this gateway?
 * 2. {@link matched}: which row of the table is it for? From here on the row says everything that depends on the address.
 * 3. {@link identify}: whose is it?
 * 4. {@link admit}: may they use this route?
 * 5. the handler of the row;
 * 6. {@link finished}: failures become one kind of body, and every answer gets its headers.
 */
export function openApp(deps: AppDeps): App {
  return async (request, outgoing) => {
    const requestId = newTimedId(deps.clock.nowMs());
    const progress = new Progress(() => deps.clock.monotonicMs());
    const exchange: Exchange = { request, requestId, progress };
    let route: ServedRoute | undefined;
    let served: Served;
    try {
      checkAddress(deps, request);
      const match = matched(deps, request);
      route = match.route;
      served = await serve(deps, exchange, match);
    } catch (thrown) {
      served = failed(deps, thrown);
    }
    const response = finished(deps, exchange, route, served.response);
    if (!served.comesInPieces) return sendResponse(response, outgoing);
    return sendStream(response, outgoing, deps.timers, (thrown) => {
      deps.log.warn({ requestId, path: request.pathname, thrown }, 'A stream to a caller was interrupted.');
    });
  };
}

/** @throws {Fault} `forbidden` */
function checkAddress(deps: AppDeps, { headers }: IncomingRequest): void {
  const wrong = deps.guard().check({ host: headers.values('host'), origin: headers.values('origin') });
  if (wrong === undefined) return;
  throw new Fault('forbidden', `The ${wrong} header contains a host that this gateway does not serve.`, {
    data: { field: wrong },
  });
}

/**
 * Judged and dispatched on is what stood on the wire: neither a path that had to be put in order, which others might read
 * another way, nor a target that names a second host.
 *
 * @throws {Fault} `not_found`; `invalid_params` for what is no path at all
 */
function matched({ routes }: AppDeps, { method, pathname }: IncomingRequest): Match<ServedRoute> {
  checkTarget(pathname);
  const match = routes.find(method, pathname);
  if (!match) throw new Fault('not_found', 'No such address.');
  return match;
}

async function serve(deps: AppDeps, exchange: Exchange, { route, params }: Match<ServedRoute>): Promise<Served> {
  const { request } = exchange;
  const { headers, incoming, pathname } = request;
  const baseUrl = deps.baseUrl((headers.first('host') ?? '').toLowerCase());
  if (route.auth === 'none') {
    const from = clientAddress(incoming, headers, deps.trustedProxies);
    const context = { baseUrl, cookie: headers.values('cookie')[0], clientAddress: from };
    return { response: await route.serve({ request, context, params, route, pathname }), comesInPieces: false };
  }
  const context = await identify(deps, exchange, route, baseUrl);
  admit(deps, request, route, context);
  try {
    const response = await route.serve({ request, context, params, route, pathname });
    return { response, comesInPieces: isInPieces(route, response) };
  } catch (thrown) {
    const isSignIn = thrown instanceof Fault && thrown.code === 'auth_required' && route.surface === 'mcp';
    throw isSignIn ? new Unauthorized(thrown, signInChallenge(thrown, baseUrl, pathname, params['server'])) : thrown;
  }
}

/** Whether an answer comes bit by bit, and may break on its way. */
function isInPieces({ surface }: Route, { headers }: HttpResponse): boolean {
  const type = headers.get('content-type') ?? '';
  return surface === 'cloudagents' || type.startsWith('text/event-stream') || type.startsWith('text/csv');
}

/** @throws {Fault} what {@link checkCall} refuses; it is in the log where it is a call */
function admit(deps: AppDeps, { pathname, search }: IncomingRequest, route: Route, context: CallContext): void {
  try {
    checkCall(context.caller, route, { pathname, search, holdsKey: context.holdsKey });
  } catch (thrown) {
    if (thrown instanceof Fault && isCall(route)) deps.refused(context, templateOf(route), thrown);
    throw thrown;
  }
}

function failed(deps: AppDeps, thrown: unknown): Served {
  const fault = toFault(thrown, (id, cause) => deps.log.report(id, cause));
  const challenge = fault instanceof Unauthorized ? fault.challenge : undefined;
  return { response: faultResponse(fault, challenge), comesInPieces: false };
}

function finished(
  deps: AppDeps,
  { requestId, progress }: Exchange,
  route: Route | undefined,
  response: HttpResponse,
): HttpResponse {
  const { headers } = response;
  headers.set('x-gateway-call-id', requestId);
  headers.set('x-content-type-options', 'nosniff');
  if (route && isCall(route)) addProgressHeaders(headers, progress, deps.clock.nowMs());
  if (deps.isLeaving()) headers.set('connection', 'close');
  return response;
}

const calls: ReadonlySet<Surface> = new Set(['mcp', 'rest', 'a2a', 'cloudagents']);
/** What goes on to a server, an agent or the cloud service, and no page or management. */
const isCall = ({ surface }: Route): boolean => calls.has(surface);

/** A server wants the person itself: behind its own address that is asked for there, else at the server's. */
function signInChallenge({ data }: Fault, baseUrl: string, pathname: string, server: string | undefined): string {
  const id = server === undefined ? serverIdOf(data) : undefined;
  return challengeFor(baseUrl, id === undefined ? pathname : `/mcp/${encodeURIComponent(id)}`, false);
}

const serverIdOf = (data: unknown): string | undefined =>
  typeof data === 'object' && data !== null && 'server_id' in data && typeof data.server_id === 'string'
    ? data.server_id
    : undefined;
