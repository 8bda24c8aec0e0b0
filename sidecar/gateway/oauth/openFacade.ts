import { sealerFor, sealingKey } from '../../platform/seal.ts';
import { Attempts } from '../auth/attempts.ts';
import { type CallContext, type Caller, userOf } from '../auth/caller.ts';
import { Progress } from '../auth/progress.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import { noKeys } from '../backends/keyGuard.ts';
import { smallFetch } from '../backends/net/smallFetch.ts';
import type { Registered } from '../backends/oauth/flow.ts';
import { refOf, type UserTokenStore } from '../backends/oauth/stores.ts';
import { resolveScope } from '../mcp/aggregation/scope.ts';
import { nameOf } from '../mcp/mcpDeps.ts';
import { type ServerAccessDeps, serverAccess } from '../mcp/serverAccess.ts';
import type { GatewayOptions } from '../options.ts';
import type { PublicContext } from '../routing/route.ts';
import type { GatewayStore } from '../storage/store.ts';
import { routeOf } from './addresses.ts';
import type { DelegatedSignIn } from './delegated.ts';
import { type OAuthFacade, openOAuthFacade } from './facade.ts';
import type { BrowserSessions, OAuthServerAccess } from './oauthDeps.ts';

export interface OAuthFacadeDeps extends ServerAccessDeps {
  readonly options: GatewayOptions;
  readonly store: GatewayStore;
  readonly callers: CallerResolver;
  readonly tokens: UserTokenStore;
  /** Somebody signed in to a server: clients list anew. */
  readonly listsChanged: () => void;
  readonly delegated: DelegatedSignIn;
}

/** Anybody may name such an address: public ones alone, and few at a time. */
const clientDocuments = { id: 'oauth client documents', name: 'OAuth client', allowPrivate: false, maxConcurrent: 8 };

/** Puts the authorization server for MCP clients together with the rest of the gateway. */
export function oauthFacade(deps: OAuthFacadeDeps, sessions: BrowserSessions): OAuthFacade {
  const { options, store, callers, backends } = deps;
  const { registrationsPerMinute } = options.throttle ?? {};
  const read = smallFetch(backends.pool, clientDocuments, options.runtime.timers);
  const facadeDeps = {
    sealer: sealerFor(options.secret, 'oauth'),
    clientSecretKey: sealingKey(options.secret, 'oauth client secrets'),
    fetchDocument: (url: string) => read({ method: 'GET', url, headers: { accept: 'application/json' } }),
    trustedRedirects: options.trustedRedirects ?? [],
    claims: store.leases,
    delegated: deps.delegated,
    callers,
    upstream: backends.signIn,
    serverAccess: accessForSignIn(deps),
    registrations: registrationsPerMinute ? new Attempts(registrationsPerMinute, options.runtime.clock) : undefined,
    clock: options.runtime.clock,
    newId: options.runtime.newId,
    random: options.runtime.random,
  };
  return openOAuthFacade(facadeDeps, sessions);
}

function accessForSignIn(deps: OAuthFacadeDeps): OAuthServerAccess {
  const { directory, secrets, drafts, backends, tokens, listsChanged } = deps;
  const mcp = serverAccess(deps);
  const server = async (id: string): Promise<Registered | undefined> => {
    const tried = drafts.find(id);
    if (tried) return tried;
    const { servers } = await directory.registered();
    const found = servers.find((it) => it.server_id === id);
    return found && { server: found, secrets: await secrets.server(id) };
  };
  const scopeDeps = {
    visible: mcp.visible,
    toolset: mcp.toolset,
    options: { alwaysPrefix: false },
  } satisfies Parameters<typeof resolveScope>[0];
  return {
    async reach(caller, audience, facts) {
      const scope = await resolveScope(scopeDeps, contextOf(caller, facts), routeOf(audience));
      if (!scope) return undefined;
      const [only] = scope.servers;
      const signIn = scope.kind === 'single' && only ? await server(only.server.server_id) : undefined;
      const names = scope.servers.map((it) => nameOf(it.server));
      return { names, signIn: signIn && isInteractive(signIn) ? signIn : undefined };
    },
    async signInServer(context, serverId) {
      const isTried = drafts.find(serverId, userOf(context)) !== undefined;
      const isVisible = isTried || (await mcp.visible(context)).some((it) => it.server.server_id === serverId);
      const found = isVisible ? await server(serverId) : undefined;
      return found && isInteractive(found) ? found : undefined;
    },
    server,
    async delegatedResource(serverId) {
      const found = await server(serverId);
      return found?.server.delegate_auth_to_upstream ? backends.resourceOf(found.server) : undefined;
    },
    userOf: (caller) => userOf({ caller }),
    hasToken: async (server, user) => (await tokens.read(refOf(server, user))) !== undefined,
    connected(serverId, user) {
      backends.forgetToken(serverId, user);
      listsChanged();
    },
  };
}

/** As a call of this caller would be, as far as it decides which servers there are. */
function contextOf(caller: Caller, { baseUrl, clientAddress }: PublicContext): CallContext {
  return {
    caller,
    requestId: '',
    baseUrl,
    headers: new Map(),
    bearer: undefined,
    holdsKey: noKeys,
    clientAddress,
    signal: new AbortController().signal,
    progress: new Progress(() => 0),
  };
}

/** People sign in to it themselves, each with a token of their own (`gateway.auth.oauth2.pkce`). */
const isInteractive = ({ server }: Registered): boolean =>
  server.auth_type === 'oauth2' &&
  server.oauth2_flow !== 'client_credentials' &&
  !server.delegate_auth_to_upstream &&
  !server.oauth_passthrough;
