import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Fault, toFault } from '../../platform/faults.ts';
import type { CallContext } from '../auth/caller.ts';
import { Progress } from '../auth/progress.ts';
import { type Route, type Surface, templateOf } from '../routing/route.ts';
import type { Match, RouteTable } from '../routing/routeTable.ts';
import type { AddressGuard } from './addressGuard.ts';
import { checkCall } from './checkCall.ts';
import { challengeFor, faultResponse } from './faultResponses.ts';
import { type IdentifyDeps, identify, Unauthorized } from './identify.ts';
import { clientAddress, headerListOf, valuesOf, visibleHeaders } from './inbound.ts';
import { addProgressHeaders } from './progressHeaders.ts';
import type { ServedRoute } from './routes.ts';
import { sendStream } from './sendStream.ts';

/** Answers one request of the listener. */
export type App = (request: Request, bindings: HttpBindings) => Promise<Response>;

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
  readonly request: Request;
  readonly incoming: HttpBindings['incoming'];
  readonly requestId: string;
  readonly progress: Progress;
  /** As it stood on the wire. */
  readonly pathname: string;
}

interface Served {
  readonly response: Response;
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
  return async (request, { incoming, outgoing }) => {
    const requestId = deps.newId();
    const progress = new Progress(() => deps.clock.monotonicMs());
    const pathname = pathOnWire(incoming);
    const exchange: Exchange = { request, incoming, requestId, progress, pathname };
    let match: Match<ServedRoute> | undefined;
    const served = await (async () => {
      checkAddress(deps, exchange);
      match = matched(deps, exchange);
      return serve(deps, exchange, match);
    })().catch((thrown: unknown) => failed(deps, thrown));
    const response = finished(deps, exchange, match?.route, served.response);
    if (!served.comesInPieces) return response;
    await sendStream(response, outgoing as ServerResponse, deps.timers, (thrown) => {
      deps.log.warn({ requestId, path: pathname, thrown }, 'A stream to a caller broke.');
    });
    return RESPONSE_ALREADY_SENT;
  };
}

/** @throws {Fault} `forbidden` */
function checkAddress(deps: AppDeps, { incoming }: Exchange): void {
  const list = headerListOf(incoming);
  const wrong = deps.guard().check({ host: valuesOf(list, 'host'), origin: valuesOf(list, 'origin') });
  if (wrong === undefined) return;
  throw new Fault('forbidden', `The header ${wrong} names an address that this gateway does not answer to.`, {
    data: { field: wrong },
  });
}

/**
 * Judged and dispatched on is what stood on the wire: neither a path that had to be put in order, which others might read
 * another way, nor a target that names a second host.
 *
 * @throws {Fault} `not_found`
 */
function matched({ routes }: AppDeps, { request, pathname }: Exchange): Match<ServedRoute> {
  const isAsWritten = new URL(request.url).pathname === pathname;
  const match = isAsWritten ? routes.find(request.method, pathname) : undefined;
  if (!match) throw new Fault('not_found', 'There is no such address.');
  return match;
}

async function serve(deps: AppDeps, exchange: Exchange, { route, params }: Match<ServedRoute>): Promise<Served> {
  const { request, incoming, pathname } = exchange;
  const list = headerListOf(incoming);
  const baseUrl = deps.baseUrl((valuesOf(list, 'host')[0] ?? '').toLowerCase());
  if (route.auth === 'none') {
    const from = clientAddress(incoming, visibleHeaders(list, undefined), deps.trustedProxies);
    const context = { baseUrl, cookie: valuesOf(list, 'cookie')[0], clientAddress: from };
    return { response: await route.serve({ request, context, params, route, pathname }), comesInPieces: false };
  }
  const { context, passed } = await identify(deps, exchange, route, baseUrl);
  admit(deps, exchange, route, context);
  try {
    const response = await route.serve({ request: passed, context, params, route, pathname });
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return { response, comesInPieces: isEvents || route.surface === 'cloudagents' };
  } catch (thrown) {
    const isSignIn = thrown instanceof Fault && thrown.code === 'auth_required' && route.surface === 'mcp';
    throw isSignIn ? new Unauthorized(thrown, signInChallenge(thrown, baseUrl, pathname, params['server'])) : thrown;
  }
}

/** @throws {Fault} what {@link checkCall} refuses; it is in the log where it is a call */
function admit(deps: AppDeps, { request, pathname }: Exchange, route: Route, context: CallContext): void {
  try {
    const { search } = new URL(request.url);
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
  response: Response,
): Response {
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

const pathOnWire = ({ url = '' }: HttpBindings['incoming']): string => url.split('?', 1)[0] ?? '';
