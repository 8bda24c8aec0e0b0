import type { HttpResponse } from '../../platform/httpMessages.ts';
import { noSuchAddress, type Params, type PublicContext, type RouteCall } from '../routing/route.ts';
import { AccessTokens, type ReadsAccessTokens } from './accessTokens.ts';
import { hasOwnEndpoints } from './addresses.ts';
import { Authorize } from './authorize.ts';
import { ClientDocuments } from './clientDocuments.ts';
import { Clients } from './clients.ts';
import { Connect } from './connect.ts';
import { authorizationServer, protectedResource } from './documents.ts';
import { Grants } from './grants.ts';
import type { BrowserSessions, OAuthDeps } from './oauthDeps.ts';
import { jsonAnswer, OAuthRefusal, refusalResponse } from './refusal.ts';
import { register } from './register.ts';
import { Revocations } from './revocations.ts';
import { SignIns } from './signIns.ts';
import { token } from './token.ts';
import { introspect, revoke } from './tokenStatus.ts';

type OpenCall = RouteCall<PublicContext>;

/**
 * The gateway as an authorization server for MCP clients: what its routes are served by. The errors of a client are answered
 * with OAuth's error codes. Each throws {Fault} `not_found` where there is nothing, and `unavailable`.
 */
export interface OAuthFacade {
  protectedResource(call: OpenCall): Promise<HttpResponse>;
  authorizationServer(call: OpenCall): Promise<HttpResponse>;
  authorize(call: OpenCall): Promise<HttpResponse>;
  token(call: OpenCall): Promise<HttpResponse>;
  register(call: OpenCall): Promise<HttpResponse>;
  revoke(call: OpenCall): Promise<HttpResponse>;
  callback(call: OpenCall): Promise<HttpResponse>;
  connect(call: OpenCall): Promise<HttpResponse>;
  introspect(call: RouteCall): Promise<HttpResponse>;
  /** @throws {Fault} `not_found`, `invalid_params` */
  signIn(call: RouteCall): Promise<HttpResponse>;
  readonly accessTokens: ReadsAccessTokens;
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
  const handlerDeps = { ...deps, clients, grants, revocations, nowMs };

  return {
    async protectedResource({ request, params, context: { baseUrl } }) {
      const path = params['rest'] ?? '';
      const delegated = deps.delegated.read(path, new URL(request.url).searchParams);
      if (!delegated) return document(protectedResource(path, baseUrl));
      const found = await deps.serverAccess.delegatedResource(delegated);
      // The server's own document, about the address at which clients reach it here: they refuse one about another.
      return document(found && { ...found, resource: `${baseUrl}${path}` });
    },
    authorizationServer: async ({ params, context: { baseUrl } }) =>
      document(authorizationServer(params['rest'] ?? '', baseUrl)),
    authorize: ({ request, params, context }) => inWords(authorize.handle(request, prefixOf(params), context)),
    async token({ request, params, context: { baseUrl } }) {
      prefixOf(params);
      return inWords(token(request, baseUrl, handlerDeps));
    },
    async register({ request, params, context: { clientAddress } }) {
      prefixOf(params);
      return tooMany(deps.registrations, clientAddress) ?? inWords(register(request, handlerDeps));
    },
    revoke: ({ request }) => inWords(revoke(request, handlerDeps)),
    callback: ({ request, context }) => inWords(signIns.callback(new URL(request.url).searchParams, context)),
    connect: ({ request, context }) => inWords(connect.handle(request, context)),
    introspect: ({ request, context }) => inWords(introspect(request, context, handlerDeps)),
    signIn: ({ request, params, context }) => connect.ticket(request, params['server_id'] ?? '', context),
    accessTokens: new AccessTokens(grants, revocations, nowMs),
  };
}

const document = (found: object | undefined): Response =>
  found ? Response.json(found, { headers: { 'cache-control': 'no-cache' } }) : noSuchAddress();

async function inWords(answering: Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await answering;
  } catch (thrown) {
    if (thrown instanceof OAuthRefusal) return refusalResponse(thrown);
    throw thrown;
  }
}

/** @throws {Fault} `not_found` for a name that has no endpoints of its own */
function prefixOf({ server }: Params): string {
  if (server === undefined) return '';
  return hasOwnEndpoints(server) ? `/${encodeURIComponent(server)}` : noSuchAddress();
}

/** The answer to an address that registers too many clients; counts the others. */
function tooMany(registrations: OAuthDeps['registrations'], address: string): Response | undefined {
  const waitMs = registrations?.waitMs(address) ?? 0;
  if (waitMs === 0) {
    registrations?.count(address);
    return undefined;
  }
  const error_description = 'Too many clients have been registered from this address. Try again later.';
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
  return jsonAnswer({ error: 'temporarily_unavailable', error_description }, 429, headers);
}
