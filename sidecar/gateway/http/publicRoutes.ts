import type { Callers } from '../auth/resolve.ts';
import type { Guardrails } from '../guardrails/guardrails.ts';
import type { Management } from '../management/management.ts';
import type { OAuthFacade } from '../oauth/facade.ts';
import type { GatewayOptions } from '../options.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { PublicHandler } from './app.ts';
import type { Drain } from './drain.ts';
import { openPages } from './pages.ts';
import { uiSession } from './signIn.ts';
import type { UiSessions } from './uiSession.ts';

export interface PublicRoutesParts {
  readonly options: GatewayOptions;
  readonly callers: Callers;
  readonly ui: UiSessions;
  readonly store: GatewayStore;
  readonly oauth: OAuthFacade;
  readonly guardrails: Pick<Guardrails, 'jwks'>;
  readonly management: Pick<Management, 'openapi'>;
  readonly drain: Drain;
}

/** What the gateway answers without asking who it is. */
export function publicRoutes(parts: PublicRoutesParts): PublicHandler {
  const { options, callers, ui, store, oauth, guardrails, management, drain } = parts;
  const pages = options.pagesFolder === undefined ? undefined : openPages(options.pagesFolder);
  const { clock } = options.runtime;
  return async (request, facts) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/ui/session') return uiSession(request, { callers, ui, clock, from: facts.clientAddress });
    if (pathname === '/healthz') {
      const status = drain.isLeaving ? 'leaving' : (await store.ping()) ? 'ok' : 'no_db_connection';
      return Response.json(
        { status, version: options.version },
        { status: status === 'ok' ? 200 : 503, headers: { 'cache-control': 'no-store' } },
      );
    }
    if (pathname === '/.well-known/jwks.json') {
      const { keys, maxAgeSeconds } = await guardrails.jwks();
      return Response.json({ keys }, { headers: { 'cache-control': `public, max-age=${maxAgeSeconds}` } });
    }
    if (pathname === '/openapi.json') return Response.json(management.openapi());
    if (pathname === '/') return new Response(null, { status: 307, headers: { location: '/ui/' } });
    if (pathname === '/ui' || pathname.startsWith('/ui/')) return pages?.(pathname);
    return oauth.open(request, facts);
  };
}
