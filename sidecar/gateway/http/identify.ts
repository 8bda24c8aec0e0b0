import { Fault } from '../../platform/faults.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { readBody } from '../../platform/requestBody.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { CallContext, Caller } from '../auth/caller.ts';
import type { CallTrace } from '../auth/callTrace.ts';
import { type Credential, type CredentialOptions, readCredential } from '../auth/credential.ts';
import type { HeaderList } from '../auth/headerList.ts';
import {
  type IdentifyingBody,
  type Identity,
  type IdentityOptions,
  readIdentity,
  saysNobody,
} from '../auth/identity.ts';
import type { TokenCallers } from '../auth/jwt/onUse.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import { type HoldsKey, keyGuard } from '../backends/keyGuard.ts';
import type { PeopleSignIn } from '../oauth/signin/contract.ts';
import { countedAs, type Route } from '../routing/route.ts';
import type { Exchange } from './app.ts';
import { challengeFor } from './faultResponses.ts';
import { clientAddress, visibleHeaders } from './inbound.ts';
import type { IncomingRequest } from './incomingRequest.ts';
import type { TrustedProxies } from './trustedProxies.ts';
import type { UiSessions } from './uiSession.ts';

/** Tokens that MCP clients got from this gateway, and send instead of a virtual key. */
export interface AccessTokenReader {
  /** How they begin: what holds such a word leaves for no backend. */
  readonly prefixes: readonly string[];
  /** Whether a credential is one, good or not. */
  isOurs(credential: string): boolean;
  /** The hash of the key that one stands for at a path. @throws {Fault} `auth_required`, `unavailable` */
  keyOf(credential: string, pathname: string): string | Promise<string>;
}

export interface IdentifyDeps extends Omit<Runtime, 'random'> {
  readonly callers: CallerResolver;
  /** Absent where the configuration names no identity provider. */
  readonly tokens: TokenCallers | undefined;
  readonly ui: UiSessions;
  /** People whom an identity provider signs in. Absent where none is configured. */
  readonly people?: Pick<PeopleSignIn, 'callerOf' | 'allowsKeys'> | undefined;
  readonly accessTokens: AccessTokenReader;
  readonly credentials: CredentialOptions;
  readonly identity: IdentityOptions;
  readonly trustedProxies: TrustedProxies;
  /** Of bodies that the gateway reads itself. */
  readonly maxBodyBytes: number;
  /** Requests that were turned away before their caller was known. */
  readonly rejected: (template: string) => void;
  /** Begins the trace of a call; absent where no traces are exported. */
  readonly traced?: ((headers: HeaderList, holdsKey: HoldsKey) => CallTrace) | undefined;
}

/** A refusal with the challenge by which a client learns how to authenticate. */
export class Unauthorized extends Fault {
  readonly challenge: string;
  constructor({ message, data, cause }: Fault, challenge: string) {
    super('auth_required', message, { data, cause });
    this.challenge = challenge;
  }
}

/** The context of the caller. A promise only if something has to be looked up. @throws {Fault} */
export function identify(
  deps: IdentifyDeps,
  exchange: Exchange,
  route: Route,
  baseUrl: string,
): CallContext | Promise<CallContext> {
  const facts = factsOf(deps, exchange.request, route);
  return facts instanceof Promise
    ? facts.then((it) => identifyBy(deps, exchange, route, baseUrl, it))
    : identifyBy(deps, exchange, route, baseUrl, facts);
}

function identifyBy(
  deps: IdentifyDeps,
  exchange: Exchange,
  route: Route,
  baseUrl: string,
  facts: HeaderFacts,
): CallContext | Promise<CallContext> {
  const { credential } = facts;
  const refused = (thrown: unknown): never => {
    if (!(thrown instanceof Fault) || thrown.code !== 'auth_required') throw thrown;
    deps.rejected(countedAs(route));
    const isMcp = route.surface === 'mcp';
    const challenge = challengeFor(baseUrl, isMcp ? exchange.request.pathname : '', credential !== undefined);
    throw new Unauthorized(thrown, challenge);
  };
  try {
    const caller = callerOf(deps, exchange.request, route, facts);
    return caller instanceof Promise
      ? caller.then((it) => contextOf(deps, exchange, baseUrl, it, facts), refused)
      : contextOf(deps, exchange, baseUrl, caller, facts);
  } catch (thrown) {
    return refused(thrown);
  }
}

function callerOf(
  deps: IdentifyDeps,
  { headers, pathname, method }: IncomingRequest,
  route: Route,
  { credential, identity, from }: HeaderFacts,
): Caller | Promise<Caller> {
  if (!credential) {
    return browserCaller(deps, headers, route, method, identity) ?? deps.callers.resolve(undefined, identity, from);
  }
  if (deps.tokens?.isToken(credential.key)) return deps.tokens.callerOf(credential.key, identity, from);
  if (route.surface !== 'mcp' || !deps.accessTokens.isOurs(credential.key))
    return deps.callers.resolve(credential, identity, from);
  const known = deps.accessTokens.keyOf(credential.key, pathname);
  return known instanceof Promise
    ? known.then((it) => deps.callers.byHash(it, identity))
    : deps.callers.byHash(known, identity);
}

/** A plain object: surfaces make contexts for parts of a call from it. */
const contextOf = (
  { traced }: IdentifyDeps,
  { request, requestId, progress }: Exchange,
  baseUrl: string,
  caller: Caller,
  { visible, credential, holdsKey, from }: HeaderFacts,
): CallContext => ({
  requestId,
  progress,
  baseUrl,
  caller,
  headers: visible,
  bearer: credential?.bearer,
  holdsKey,
  clientAddress: from,
  // A plain member: an object literal with a getter costs the garbage collector several times as much a call.
  signal: request.signal,
  trace: traced?.(request.headers, holdsKey),
});

/** What the headers of a request say, and its body where that has a say. */
interface HeaderFacts {
  readonly identity: Identity;
  readonly credential: Credential | undefined;
  readonly visible: ReadonlyMap<string, string>;
  readonly holdsKey: HoldsKey;
  /** The address that it came from. */
  readonly from: string;
}

/** By {@link HeaderList.alike}: clients send the same headers again and again. */
const lastOf = new WeakMap<object, { readonly route: Route; readonly facts: HeaderFacts }>();

function factsOf(deps: IdentifyDeps, request: IncomingRequest, route: Route): HeaderFacts | Promise<HeaderFacts> {
  if (!saysWho(request, route)) return headerFacts(deps, request, route);
  return identifyingBody(deps, request).then((body) =>
    saysNobody(body) ? headerFacts(deps, request, route) : readFacts(deps, request, route, body),
  );
}

/** The facts in the headers alone. Requests with the same headers share one object. */
function headerFacts(deps: IdentifyDeps, request: IncomingRequest, route: Route): HeaderFacts {
  const { alike } = request.headers;
  const last = lastOf.get(alike);
  if (last?.route === route) return last.facts;
  const facts = readFacts(deps, request, route, undefined);
  lastOf.set(alike, { route, facts });
  return facts;
}

function readFacts(
  deps: IdentifyDeps,
  { headers, incoming }: IncomingRequest,
  { surface }: Route,
  body: IdentifyingBody | undefined,
): HeaderFacts {
  const readAs = surface === 'mcp' ? 'mcp' : 'rest';
  const identity = readIdentity(headers, readAs, body, deps.identity);
  const credential = readCredential(headers, readAs, deps.credentials);
  return {
    identity,
    credential,
    visible: visibleHeaders(headers, credential?.header),
    holdsKey: keyGuard([...deps.accessTokens.prefixes, ...(credential ? [credential.key] : [])]),
    from: clientAddress(incoming, headers, deps.trustedProxies),
  };
}

/** Only surfaces whose protocol leaves room for it are read. */
const saysWho = ({ method, headers }: IncomingRequest, { surface }: Route): boolean =>
  method === 'POST' &&
  (surface === 'a2a' || surface === 'rest') &&
  headers.get('content-type')?.includes('json') === true;

/** What a body says of its sender. */
async function identifyingBody({ maxBodyBytes }: IdentifyDeps, request: IncomingRequest): Promise<IdentifyingBody> {
  const text = await readBody(request, maxBodyBytes);
  if (text === undefined) throw tooLarge(maxBodyBytes);
  request.wasRead(text);
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : {};
  } catch {
    return {}; // what is no JSON is refused by the surface, in its own words
  }
}

/** A signed-in browser, where the row knows browsers. What changes must come from our own pages. */
function browserCaller(
  { ui, clock, people, callers }: IdentifyDeps,
  list: HeaderList,
  { auth }: Route,
  method: string,
  identity: Identity,
): Caller | Promise<Caller> | undefined {
  if (auth !== 'browser') return undefined;
  const site = list.values('sec-fetch-site')[0];
  const isOwnPage = site === 'same-origin' && (method === 'GET' || list.values('origin').length === 1);
  if (!isOwnPage) return undefined;
  const [cookies] = list.values('cookie');
  const nowMs = clock.nowMs();
  const person = people && ui.readPerson(cookies, nowMs);
  if (person !== undefined) return people!.callerOf(person, identity);
  const token = people?.allowsKeys === false ? undefined : ui.read(cookies, nowMs);
  return token === undefined ? undefined : callers.byHash(token, identity);
}

const tooLarge = (maxBytes: number) =>
  new Fault('too_large', `The body is larger than ${maxBytes} bytes.`, { data: { field: 'body', maxBytes } });
