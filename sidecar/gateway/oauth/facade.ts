import { pathSegments } from '../../platform/pathSegments.ts';
import type { CallContext } from '../auth/caller.ts';
import { AccessTokens } from './accessTokens.ts';
import { hasOwnEndpoints } from './addresses.ts';
import { Authorize } from './authorize.ts';
import { ClientDocuments } from './clientDocuments.ts';
import { Clients } from './clients.ts';
import { Connect } from './connect.ts';
import type { BrowserSessions, OAuthDeps, OpenRequestFacts } from './deps.ts';
import { discoveryDocument } from './documents.ts';
import { Grants } from './grants.ts';
import { jsonAnswer, OAuthRefusal, refusalResponse } from './refusal.ts';
import { register } from './register.ts';
import { Revocations } from './revocations.ts';
import { SignIns } from './signIns.ts';
import { token } from './token.ts';
import { introspect, revoke } from './tokenStatus.ts';

/**
 * The gateway as an authorization server for MCP clients. The errors of a client are answered with OAuth's error codes.
 */
export interface OAuthFacade {
  /** What answers without a key. @returns `undefined` where there is nothing. @throws {Fault} `unavailable` */
  open(request: Request, facts: OpenRequestFacts): Promise<Response | undefined>;
  /** What wants one: `POST /introspect`, `POST /v1/mcp/server/{id}/sign-in`. @throws {Fault} as {@link open}, and `not_found`, `invalid_params` */
  managed(request: Request, context: CallContext): Promise<Response | undefined>;
  readonly accessTokens: AccessTokens;
}

export function openOAuthFacade(deps: OAuthDeps, sessions: BrowserSessions): OAuthFacade {
  const { sealer, claims, clock } = deps;
  const nowMs = () => clock.nowMs();
  const documents = new ClientDocuments(deps.fetchDocument, clock);
  const clients = new Clients({ sealer, secretKey: deps.clientSecretKey, documents });
  const grants = new Grants(deps);
  const revocations = new Revocations(claims, clock);
  const signIns = new SignIns({ ...deps, grants });
  const authorize = new Authorize({ ...deps, clients, grants, sessions, signIns });
  const connect = new Connect({ ...deps, sessions, signIns });
  const parts = { ...deps, clients, grants, revocations, nowMs };

  /** The server's own document, about the address at which clients reach it here: they refuse one about another. */
  async function delegatedDocument(
    { path, serverId }: { readonly path: string; readonly serverId: string },
    baseUrl: string,
  ): Promise<Response | undefined> {
    const found = await deps.services.delegatedResource(serverId);
    return (
      found && Response.json({ ...found, resource: `${baseUrl}${path}` }, { headers: { 'cache-control': 'no-cache' } })
    );
  }

  async function answer(request: Request, facts: OpenRequestFacts): Promise<Response | undefined> {
    const { pathname, searchParams } = new URL(request.url);
    const { baseUrl } = facts;
    if (pathname.startsWith('/.well-known/')) {
      const delegated = request.method === 'GET' ? deps.delegated.read(new URL(request.url)) : undefined;
      if (delegated) return delegatedDocument(delegated, baseUrl);
      const document = request.method === 'GET' ? discoveryDocument(pathname, baseUrl) : undefined;
      return document && Response.json(document, { headers: { 'cache-control': 'no-cache' } });
    }
    const { prefix, endpoint } = endpointOf(pathname);
    switch (`${request.method} ${endpoint}`) {
      case 'GET authorize':
      case 'POST authorize':
        return authorize.handle(request, prefix, facts);
      case 'POST token':
        return token(request, baseUrl, parts);
      case 'POST register':
        return tooMany(deps.registrations, facts.clientAddress) ?? register(request, parts);
      default:
    }
    switch (`${request.method} ${pathname}`) {
      case 'POST /revoke':
        return revoke(request, parts);
      case 'GET /callback':
        return signIns.callback(searchParams, facts);
      case 'GET /connect':
      case 'POST /connect':
        return connect.handle(request, facts);
      default:
        return undefined;
    }
  }

  return {
    open: (request, facts) => inWords(answer(request, facts)),
    async managed(request, context) {
      if (request.method !== 'POST') return undefined;
      const { pathname } = new URL(request.url);
      if (pathname === '/introspect') return inWords(introspect(request, context, parts));
      const id = signInId(pathname);
      return id === undefined ? undefined : connect.ticket(request, id, context);
    },
    accessTokens: new AccessTokens(grants, revocations, nowMs),
  };
}

async function inWords<T>(answering: Promise<T>): Promise<T | Response> {
  try {
    return await answering;
  } catch (thrown) {
    if (thrown instanceof OAuthRefusal) return refusalResponse(thrown);
    throw thrown;
  }
}

/** `/register` and `/{s}/register` alike. A name that has no endpoints of its own has none here. */
function endpointOf(pathname: string): { readonly prefix: string; readonly endpoint: string } {
  const [first = '', second, ...more] = pathSegments(pathname) ?? [];
  if (second === undefined) return { prefix: '', endpoint: first };
  const isServers = more.length === 0 && hasOwnEndpoints(first);
  return { prefix: `/${encodeURIComponent(first)}`, endpoint: isServers ? second : '' };
}

function signInId(pathname: string): string | undefined {
  const [v1, mcp, server, id, last, ...more] = pathSegments(pathname) ?? [];
  const isIt = v1 === 'v1' && mcp === 'mcp' && server === 'server' && last === 'sign-in' && more.length === 0;
  return isIt ? id : undefined;
}

/** The answer to an address that registers too many clients; counts the others. */
function tooMany(registrations: OAuthDeps['registrations'], address: string): Response | undefined {
  const waitMs = registrations?.waitMs(address) ?? 0;
  if (waitMs === 0) {
    registrations?.count(address);
    return undefined;
  }
  const error_description = 'Too many clients were registered from this address. Wait, and try again.';
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
  return jsonAnswer({ error: 'temporarily_unavailable', error_description }, 429, headers);
}
