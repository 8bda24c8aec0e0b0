import type { Socket } from 'node:net';
import { Fault } from '../../platform/faults.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { readBody } from '../../platform/requestBody.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { CallContext, Caller } from '../auth/caller.ts';
import { type Credential, type CredentialOptions, readCredential } from '../auth/credential.ts';
import type { HeaderList } from '../auth/headerList.ts';
import { type IdentifyingBody, type Identity, type IdentityOptions, readIdentity } from '../auth/identity.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import { type HoldsKey, keyGuard } from '../backends/keyGuard.ts';
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
  readonly ui: UiSessions;
  readonly accessTokens: AccessTokenReader;
  readonly credentials: CredentialOptions;
  readonly identity: IdentityOptions;
  readonly trustedProxies: TrustedProxies;
  /** Of bodies that the gateway reads itself. */
  readonly maxBodyBytes: number;
  /** Requests that were turned away before their caller was known. */
  readonly rejected: (template: string) => void;
}

/** A refusal with the challenge by which a client learns how to authenticate. */
export class Unauthorized extends Fault {
  readonly challenge: string;
  constructor({ message, data, cause }: Fault, challenge: string) {
    super('auth_required', message, { data, cause });
    this.challenge = challenge;
  }
}

/** Who calls. @throws {Fault} */
export async function identify(
  deps: IdentifyDeps,
  { request, requestId, progress }: Exchange,
  route: Route,
  baseUrl: string,
): Promise<CallContext> {
  const { headers: list, pathname } = request;
  const isMcp = route.surface === 'mcp';
  const facts = await factsOf(deps, request, route);
  const { credential, from } = facts;
  const isToken = credential && isMcp && deps.accessTokens.isOurs(credential.key);
  const session = credential ? undefined : sessionToken(deps, list, route, request.method);
  let caller: Caller;
  try {
    const known = isToken ? await deps.accessTokens.keyOf(credential.key, pathname) : session;
    caller = await (known === undefined
      ? deps.callers.resolve(credential, facts.identity, from)
      : deps.callers.byHash(known, facts.identity));
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'auth_required') throw thrown;
    deps.rejected(countedAs(route));
    throw new Unauthorized(thrown, challengeFor(baseUrl, isMcp ? pathname : '', credential !== undefined));
  }
  return {
    requestId,
    progress,
    baseUrl,
    caller,
    headers: facts.visible,
    bearer: credential?.bearer,
    holdsKey: facts.holdsKey,
    clientAddress: from,
    // A plain member: an object literal with a getter costs the garbage collector several times as much a call.
    signal: request.signal,
  };
}

/** What the headers of a request say, and its body where that has a say. */
interface HeaderFacts {
  readonly identity: Identity;
  readonly credential: Credential | undefined;
  readonly visible: ReadonlyMap<string, string>;
  readonly holdsKey: HoldsKey;
  /** The address that it came from. */
  readonly from: string;
}

/** Clients send the same headers again and again: what the last ones of a connection said, it goes with them. */
const lastOf = new WeakMap<
  Socket,
  { readonly raw: readonly string[]; readonly route: Route; readonly facts: HeaderFacts }
>();

function factsOf(deps: IdentifyDeps, request: IncomingRequest, route: Route): HeaderFacts | Promise<HeaderFacts> {
  if (saysWho(request, route))
    return identifyingBody(deps, request).then((body) => readFacts(deps, request, route, body));
  const { socket, rawHeaders: raw } = request.incoming;
  const last = lastOf.get(socket);
  if (last?.route === route && areSame(last.raw, raw)) return last.facts;
  const facts = readFacts(deps, request, route, undefined);
  lastOf.set(socket, { raw, route, facts });
  return facts;
}

/** But for their length. */
function areSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 2) {
    if (one[at] !== other[at]) return false;
    if (one[at + 1] !== other[at + 1] && one[at]?.toLowerCase() !== 'content-length') return false;
  }
  return true;
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
function sessionToken({ ui, clock }: IdentifyDeps, list: HeaderList, { auth }: Route, method: string) {
  if (auth !== 'browser') return undefined;
  const site = list.values('sec-fetch-site')[0];
  const isOwnPage = site === 'same-origin' && (method === 'GET' || list.values('origin').length === 1);
  return isOwnPage ? ui.read(list.values('cookie')[0], clock.nowMs()) : undefined;
}

const tooLarge = (maxBytes: number) =>
  new Fault('too_large', `The body is larger than ${maxBytes} bytes.`, { data: { field: 'body', maxBytes } });
