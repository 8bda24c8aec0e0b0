import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { Fault, toFault } from '../../platform/faults.ts';
import { readBody } from '../../platform/requestBody.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { CallContext, Caller } from '../auth/caller.ts';
import { type CredentialOptions, readCredential } from '../auth/credential.ts';
import type { HeaderList } from '../auth/headerList.ts';
import { type IdentifyingBody, type IdentityOptions, readIdentity } from '../auth/identity.ts';
import { Progress } from '../auth/progress.ts';
import type { Callers } from '../auth/resolve.ts';
import { keyGuard } from '../backends/keyGuard.ts';
import { matchMcpRoute } from '../mcp/routes.ts';
import type { AddressGuard } from './addressGuard.ts';
import { checkCall } from './checkCall.ts';
import { challengeFor, faultResponse } from './faultResponses.ts';
import { clientAddress, headerListOf, visibleHeaders } from './inbound.ts';
import { type Place, placeOf } from './places.ts';
import { addProgressHeaders } from './progressHeaders.ts';
import { sendStream } from './sendStream.ts';
import type { TrustedProxies } from './trustedProxies.ts';
import type { UiSessions } from './uiSession.ts';

/** One part of the gateway, as a web-standard handler. @throws {Fault} */
export type Handler = (request: Request, context: CallContext) => Promise<Response>;
/** Answers without a caller; `undefined` where there is nothing at this address. */
export type PublicHandler = (request: Request, facts: PublicFacts) => Promise<Response | undefined>;
export interface PublicFacts {
  readonly baseUrl: string;
  readonly cookie: string | undefined;
  readonly clientAddress: string;
}

/** Tokens that MCP clients got from this gateway, and send instead of a virtual key. */
export interface AccessTokenReader {
  /** How they begin: what holds such a word leaves for no backend. */
  readonly prefixes: readonly string[];
  /** Whether a credential is one, good or not. */
  isOurs(credential: string): boolean;
  /** The hash of the key that one stands for at a path. @throws {Fault} `auth_required`, `unavailable` */
  keyOf(credential: string, pathname: string): string | Promise<string>;
}

export interface AppDeps extends Omit<Runtime, 'random'> {
  readonly callers: Callers;
  readonly guard: () => AddressGuard;
  /** @param host of the request, after the guard let it pass */
  readonly baseUrl: (host: string) => string;
  readonly surfaces: Readonly<Record<Exclude<Place['surface'], 'open'>, Handler>>;
  readonly open: PublicHandler;
  readonly ui: UiSessions;
  readonly accessTokens: AccessTokenReader;
  readonly credentials: CredentialOptions;
  readonly identity: IdentityOptions;
  readonly trustedProxies: TrustedProxies;
  /** Of bodies that the gateway reads itself. */
  readonly maxBodyBytes: number;
  /** The gateway leaves soon: connections are not kept for a next request. */
  readonly isLeaving: () => boolean;
  /** Requests that were turned away before their caller was known. */
  readonly rejected: (template: string) => void;
  /** A call of a known caller that no part of the gateway gets to see. @param template of the route */
  readonly refused: (context: CallContext, template: string, fault: Fault) => void;
}

export type AppEnv = { Bindings: HttpBindings };

/** The gateway's front: judges each request once, hands it to its part, and turns every failure into one kind of body. */
export function openApp(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.all('*', async (c) => {
    const requestId = deps.newId();
    const progress = new Progress(() => deps.clock.monotonicMs());
    const known = { requestId, progress };
    const { response, comesInPieces } = await serve(deps, c.req.raw, c.env, known).catch((thrown: unknown) => {
      const fault = toFault(thrown, (id, cause) => deps.log.report(id, cause));
      const challenge = fault instanceof Unauthorized ? fault.challenge : undefined;
      return { response: faultResponse(fault, challenge), comesInPieces: false };
    });
    response.headers.set('x-gateway-call-id', requestId);
    response.headers.set('x-content-type-options', 'nosniff');
    if (isCall(c.req.path)) addProgressHeaders(response.headers, progress, deps.clock.nowMs());
    if (deps.isLeaving()) response.headers.set('connection', 'close');
    if (!comesInPieces) return response;
    await sendStream(response, c.env.outgoing as ServerResponse, deps.timers, (thrown) => {
      deps.log.warn({ requestId, path: c.req.path, thrown }, 'A stream to a caller broke.');
    });
    return RESPONSE_ALREADY_SENT;
  });
  return app;
}

interface Served {
  readonly response: Response;
  /** It can break on its way; everything else is a text or bytes of our own. */
  readonly comesInPieces: boolean;
}

/** What goes on to a server, an agent or the cloud service, and no page or management. */
function isCall(pathname: string): boolean {
  const surface = placeOf('POST', pathname)?.surface;
  return surface === 'mcp' || surface === 'mcpRest' || surface === 'a2a' || surface === 'cloudAgents';
}

async function serve(
  deps: AppDeps,
  request: Request,
  { incoming }: HttpBindings,
  known: Pick<CallContext, 'requestId' | 'progress'>,
): Promise<Served> {
  const list = headerListOf(incoming);
  const host = valuesOf(list, 'host');
  const wrong = deps.guard().check({ host, origin: valuesOf(list, 'origin') });
  if (wrong !== undefined) {
    throw new Fault('forbidden', `The header ${wrong} names an address that this gateway does not answer to.`, {
      data: { field: wrong },
    });
  }
  const { pathname } = new URL(request.url);
  // Judged and dispatched on is what stood on the wire: neither a path that had to be put in order, which others might
  // read another way, nor a target that names a second host.
  const place = pathOnWire(incoming) === pathname ? placeOf(request.method, pathname) : undefined;
  if (!place) throw new Fault('not_found', 'There is no such address.');
  const baseUrl = deps.baseUrl((host[0] ?? '').toLowerCase());
  if (place.surface === 'open') {
    const answer = await deps.open(request, {
      baseUrl,
      cookie: valuesOf(list, 'cookie')[0],
      clientAddress: clientAddress(incoming, visibleHeaders(list, undefined), deps.trustedProxies),
    });
    if (answer) return { response: answer, comesInPieces: false };
    throw new Fault('not_found', 'There is no such address.');
  }
  const { context, passed } = await judge(deps, request, incoming, list, place, pathname, { ...known, baseUrl });
  try {
    const response = await deps.surfaces[place.surface](passed, context);
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return { response, comesInPieces: isEvents || place.surface === 'cloudAgents' };
  } catch (thrown) {
    const isSignIn = thrown instanceof Fault && thrown.code === 'auth_required' && place.surface === 'mcp';
    throw isSignIn ? new Unauthorized(thrown, signInChallenge(thrown, baseUrl, pathname)) : thrown;
  }
}

/** Who is it, and may they use this route? */
async function judge(
  deps: AppDeps,
  request: Request,
  incoming: HttpBindings['incoming'],
  list: HeaderList,
  place: Place,
  pathname: string,
  known: Pick<CallContext, 'requestId' | 'baseUrl' | 'progress'>,
): Promise<{ readonly context: CallContext; readonly passed: Request }> {
  const surface = place.surface === 'mcp' ? 'mcp' : 'rest';
  const { body, passed } = await identifyingBody(deps, request, place);
  const identity = readIdentity(list, surface, body, deps.identity);
  const credential = readCredential(list, surface, deps.credentials);
  const isToken = credential && place.surface === 'mcp' && deps.accessTokens.isOurs(credential.key);
  const session = credential ? undefined : sessionToken(deps, list, place, request.method);
  const from = clientAddress(incoming, visibleHeaders(list, credential?.header), deps.trustedProxies);
  let caller: Caller;
  try {
    const known = isToken ? await deps.accessTokens.keyOf(credential.key, pathname) : session;
    caller = await (known === undefined
      ? deps.callers.resolve(credential, identity, from)
      : deps.callers.byHash(known, identity));
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'auth_required') throw thrown;
    deps.rejected(countedAs(place));
    throw new Unauthorized(
      thrown,
      challengeFor(known.baseUrl, place.surface === 'mcp' ? pathname : '', credential !== undefined),
    );
  }
  const holdsKey = keyGuard([...deps.accessTokens.prefixes, ...(credential ? [credential.key] : [])]);
  const headers = visibleHeaders(list, credential?.header);
  const context: CallContext = {
    ...known,
    caller,
    headers,
    bearer: credential?.bearer,
    holdsKey,
    clientAddress: from,
    signal: request.signal,
  };
  try {
    checkCall(caller, place, { pathname, search: new URL(request.url).search, holdsKey });
  } catch (thrown) {
    if (thrown instanceof Fault && place.surface !== 'management') deps.refused(context, place.template, thrown);
    throw thrown;
  }
  return { passed, context };
}

/** What a body says of its sender. Only surfaces whose protocol leaves room for it are read, and what was read is passed on. */
async function identifyingBody(
  deps: AppDeps,
  request: Request,
  { surface }: Place,
): Promise<{ readonly body: IdentifyingBody; readonly passed: Request }> {
  const isRead = request.method === 'POST' && (surface === 'a2a' || surface === 'mcpRest');
  if (!isRead || !request.headers.get('content-type')?.includes('json')) return { body: {}, passed: request };
  const text = await readBody(request, deps.maxBodyBytes);
  if (text === undefined) throw tooLarge(deps.maxBodyBytes);
  const passed = new Request(request.url, {
    method: request.method,
    headers: request.headers,
    body: text,
    signal: request.signal,
  });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { body: {}, passed }; // what is no JSON is refused by the surface, in its own words
  }
  return { body: typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}, passed };
}

/** A signed-in browser, on the routes of the pages: agents' cards are all they read of A2A. What changes must come from those pages. */
function sessionToken(
  { ui, clock }: AppDeps,
  list: HeaderList,
  { surface }: Place,
  method: string,
): string | undefined {
  const isTheirs = surface === 'management' || surface === 'mcpRest' || (surface === 'a2a' && method === 'GET');
  if (!isTheirs) return undefined;
  const site = valuesOf(list, 'sec-fetch-site')[0];
  const isOwnPage = site === 'same-origin' && (method === 'GET' || valuesOf(list, 'origin').length === 1);
  return isOwnPage ? ui.read(valuesOf(list, 'cookie')[0], clock.nowMs()) : undefined;
}

/** Anybody can think of another path below these: what nobody was let in for is counted together. */
const countedAs = ({ surface, template }: Place): string =>
  surface === 'management' || surface === 'mcpRest' ? `(${surface})` : template;

/** A server wants the person itself: behind its own address that is asked for there, else at the server's. */
function signInChallenge({ data }: Fault, baseUrl: string, pathname: string): string {
  const id = matchMcpRoute(pathname)?.kind === 'named' ? undefined : serverIdOf(data);
  return challengeFor(baseUrl, id === undefined ? pathname : `/mcp/${encodeURIComponent(id)}`, false);
}

const serverIdOf = (data: unknown): string | undefined =>
  typeof data === 'object' && data !== null && 'server_id' in data && typeof data.server_id === 'string'
    ? data.server_id
    : undefined;

/** A refusal with the challenge that tells a client how to get in. */
export class Unauthorized extends Fault {
  readonly challenge: string;
  constructor({ message, data, cause }: Fault, challenge: string) {
    super('auth_required', message, { data, cause });
    this.challenge = challenge;
  }
}

const pathOnWire = ({ url = '' }: HttpBindings['incoming']): string => url.split('?', 1)[0] ?? '';

const valuesOf = (list: HeaderList, name: string): readonly string[] =>
  list.filter(([it]) => it.toLowerCase() === name).map(([, value]) => value);

const tooLarge = (maxBytes: number) =>
  new Fault('too_large', `The body is larger than ${maxBytes} bytes.`, { data: { field: 'body', maxBytes } });
