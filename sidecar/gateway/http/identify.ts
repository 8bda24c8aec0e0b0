import { Fault } from '../../platform/faults.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { readBody } from '../../platform/requestBody.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { CallContext, Caller } from '../auth/caller.ts';
import { type CredentialOptions, readCredential } from '../auth/credential.ts';
import type { HeaderList } from '../auth/headerList.ts';
import { type IdentifyingBody, type IdentityOptions, readIdentity } from '../auth/identity.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import { keyGuard } from '../backends/keyGuard.ts';
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
  const { headers: list, pathname, incoming } = request;
  const isMcp = route.surface === 'mcp';
  const readAs = isMcp ? 'mcp' : 'rest';
  const body = saysWho(request, route) ? await identifyingBody(deps, request) : undefined;
  const identity = readIdentity(list, readAs, body, deps.identity);
  const credential = readCredential(list, readAs, deps.credentials);
  const isToken = credential && isMcp && deps.accessTokens.isOurs(credential.key);
  const session = credential ? undefined : sessionToken(deps, list, route, request.method);
  const from = clientAddress(incoming, list, deps.trustedProxies);
  let caller: Caller;
  try {
    const known = isToken ? await deps.accessTokens.keyOf(credential.key, pathname) : session;
    caller = await (known === undefined
      ? deps.callers.resolve(credential, identity, from)
      : deps.callers.byHash(known, identity));
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
    headers: visibleHeaders(list, credential?.header),
    bearer: credential?.bearer,
    holdsKey: keyGuard([...deps.accessTokens.prefixes, ...(credential ? [credential.key] : [])]),
    clientAddress: from,
    get signal() {
      return request.signal;
    },
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
