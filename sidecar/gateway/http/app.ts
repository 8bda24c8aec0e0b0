import type { ServerResponse } from 'node:http';
import { Fault, toFault } from '../../platform/faults.ts';
import { FlowResponse, type HttpResponse } from '../../platform/httpMessages.ts';
import { newTimedId } from '../../platform/ids.ts';
import type { OpenStreams } from '../activity/telemetry/openStreams.ts';
import type { CallContext } from '../auth/caller.ts';
import { Progress } from '../auth/progress.ts';
import { ForOwner } from '../routing/forOwner.ts';
import { checkTarget } from '../routing/plainPath.ts';
import { type Route, type Surface, templateOf } from '../routing/route.ts';
import type { Match, RouteTable } from '../routing/routeTable.ts';
import type { AddressGuard } from './addressGuard.ts';
import { checkCall, checkModelQuery } from './checkCall.ts';
import { challengeFor, faultResponse } from './faultResponses.ts';
import { isForWorkers } from './forWorkers.ts';
import { type IdentifyDeps, identify, Unauthorized } from './identify.ts';
import { clientAddress } from './inbound.ts';
import type { IncomingRequest } from './incomingRequest.ts';
import { addProgressHeaders } from './progressHeaders.ts';
import type { ServedRoute } from './routes.ts';
import { sendFlow } from './sendFlow.ts';
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
  readonly streams: OpenStreams;
  /** Set in a worker: who answers what a worker does not. */
  readonly handOver?: HandOver | undefined;
}
/**
 * Passes a request on, with the response.
 *
 * @param body if it was read
 * @throws {Fault} `unavailable`; nothing was answered then
 */
export type HandOver = (
  request: IncomingRequest,
  outgoing: ServerResponse,
  body: string | Uint8Array | undefined,
) => Promise<void>;

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

/** What is known of a request before its caller is identified. */
interface Addressed {
  readonly guard: AddressGuard;
  readonly method: string;
  readonly pathname: string;
  readonly match: Match<ServedRoute>;
  readonly baseUrl: string;
}
/** By {@link HeaderList.alike}: the last request of a connection. */
const lastAddressed = new WeakMap<object, Addressed>();

/**
 * The gateway's front. A request goes through these steps, each of which may refuse it:
 *
 * 1. {@link addressed}: is it meant for this gateway, and which row of the table is it for? From here on the row says
 *    everything that depends on the address.
 * 2. {@link identify}: whose is it?
 * 3. {@link admit}: may they use this route?
 * 4. the handler of the row;
 * 5. {@link finished}: failures become one kind of body, and every answer gets its headers.
 */
export function openApp(deps: AppDeps): App {
  const { handOver } = deps;
  return async (request, outgoing) => {
    const requestId = newTimedId(deps.clock.nowMs(), deps.newId);
    const exchange: Exchange = { request, requestId, progress: new Progress(() => deps.clock.monotonicMs()) };
    let at: Addressed | undefined;
    let served: Served;
    try {
      const found = addressed(deps, request);
      at = found instanceof Promise ? await found : found;
      if (handOver && !isForWorkers(at.match.route, request)) return await handOver(request, outgoing, undefined);
      const serving = serve(deps, exchange, at);
      const response = serving instanceof Promise ? await serving : serving;
      served = { response, comesInPieces: isInPieces(at.match.route, response) };
    } catch (thrown) {
      try {
        if (handOver && isForOwner(thrown)) return await handOver(request, outgoing, bodyOf(thrown));
        served = failed(deps, thrown, at);
      } catch (late) {
        served = failed(deps, late, at);
      }
    }
    return send(deps, exchange, at, served, outgoing);
  };
}

/** Also a wrong key: those are counted in one process. */
const isForOwner = (thrown: unknown): thrown is ForOwner | Unauthorized =>
  thrown instanceof ForOwner || thrown instanceof Unauthorized;
const bodyOf = (thrown: ForOwner | Unauthorized) => (thrown instanceof ForOwner ? thrown.body : undefined);

function send(
  deps: AppDeps,
  exchange: Exchange,
  at: Addressed | undefined,
  served: Served,
  outgoing: ServerResponse,
): void | Promise<void> {
  const { request, requestId } = exchange;
  const response = finished(deps, exchange, at?.match.route, served.response);
  const onBroken = (thrown: unknown) =>
    deps.log.warn({ requestId, path: request.pathname, thrown }, 'A stream to a caller was interrupted.');
  const isFlow = response instanceof FlowResponse;
  if (!isFlow && !served.comesInPieces) return sendResponse(response, outgoing);
  if (at) deps.streams.opened(at.match.route.surface, outgoing);
  if (isFlow) return sendFlow(response, outgoing, deps.timers, onBroken);
  return sendStream(response, outgoing, deps.timers, onBroken);
}

/**
 * Judged and dispatched on is what stood on the wire: neither a path that had to be put in order, which others might read
 * another way, nor a target that names a second host. What the last request of the connection was found to be, the next one is,
 * where it has the same method, path and headers.
 *
 * @throws {Fault} `forbidden` for an address that is not ours; `not_found`; `invalid_params` for what is no path at all
 */
function addressed(deps: AppDeps, request: IncomingRequest): Addressed | Promise<Addressed> {
  const { method, pathname, headers } = request;
  const last = lastAddressed.get(headers.alike);
  const guard = deps.guard();
  if (last?.method === method && last.pathname === pathname && last.guard === guard) return last;
  checkAddress(guard, headers);
  checkTarget(pathname);
  const loading = deps.routes.loading(pathname);
  return loading ? loading.then(() => lookedUp(deps, request, guard)) : lookedUp(deps, request, guard);
}

/** @throws {Fault} `not_found` */
function lookedUp(deps: AppDeps, { method, pathname, headers }: IncomingRequest, guard: AddressGuard): Addressed {
  const match = deps.routes.find(method, pathname);
  if (!match) throw new Fault('not_found', 'No such address.');
  const baseUrl = deps.baseUrl((headers.first('host') ?? '').toLowerCase());
  const found = { guard, method, pathname, match, baseUrl };
  lastAddressed.set(headers.alike, found);
  return found;
}

/** @throws {Fault} `forbidden` */
function checkAddress(guard: AddressGuard, headers: IncomingRequest['headers']): void {
  const wrong = guard.check({ host: headers.values('host'), origin: headers.values('origin') });
  if (wrong === undefined) return;
  throw new Fault('forbidden', `The ${wrong} header contains a host that this gateway does not serve.`, {
    data: { field: wrong },
  });
}

/** Does not wait for anything that is already known. @throws {Fault} */
function serve(deps: AppDeps, exchange: Exchange, at: Addressed): HttpResponse | Promise<HttpResponse> {
  const { request } = exchange;
  const { match, baseUrl } = at;
  const { route, params } = match;
  const { headers, incoming, pathname } = request;
  if (route.auth === 'none') {
    const from = clientAddress(incoming, headers, deps.trustedProxies);
    const context = { baseUrl, cookie: headers.values('cookie')[0], clientAddress: from };
    return route.serve({ request, context, params, route, pathname });
  }
  const serveFor = (context: CallContext) => {
    admit(deps, request, route, context);
    return route.serve({ request, context, params, route, pathname });
  };
  checkModelQuery(route, request.search);
  const context = identify(deps, exchange, route, baseUrl);
  return context instanceof Promise ? context.then(serveFor) : serveFor(context);
}

/** Whether an answer comes bit by bit, and may break on its way. */
function isInPieces({ surface, auth }: Route, { headers }: HttpResponse): boolean {
  if (auth === 'none') return false;
  const type = headers.get('content-type') ?? '';
  return (
    surface === 'cloudagents' || type.startsWith('text/event-stream') || /^(?:text\/csv|application\/jsonl)/.test(type)
  );
}

/** @throws {Fault} what {@link checkCall} refuses; it is in the log where it is a call */
function admit(deps: AppDeps, { pathname, search }: IncomingRequest, route: Route, context: CallContext): void {
  try {
    const { clientAddress, holdsKey } = context;
    checkCall(context.caller, route, { pathname, search, clientAddress, holdsKey });
  } catch (thrown) {
    if (thrown instanceof Fault && isCall(route)) deps.refused(context, templateOf(route), thrown);
    throw thrown;
  }
}

function failed(deps: AppDeps, thrown: unknown, at: Addressed | undefined): Served {
  const fault = toFault(thrown, (id, cause) => deps.log.report(id, cause));
  return {
    response: faultResponse(fault, at && challengeOf(fault, at), at?.match.route.dialect),
    comesInPieces: false,
  };
}

/** How a client learns to sign in, where a server wants that of the person behind it. */
function challengeOf(fault: Fault, { match, baseUrl, pathname }: Addressed): string | undefined {
  if (fault instanceof Unauthorized) return fault.challenge;
  const { surface, auth } = match.route;
  if (fault.code !== 'auth_required' || surface !== 'mcp' || auth === 'none') return undefined;
  return signInChallenge(fault, baseUrl, pathname, match.params['server']);
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

const calls: ReadonlySet<Surface> = new Set(['mcp', 'rest', 'a2a', 'cloudagents', 'models']);
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
