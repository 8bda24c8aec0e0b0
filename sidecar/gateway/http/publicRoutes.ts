import { Fault } from '../../platform/faults.ts';
import { AcceptInvitation } from '../../protocol/gateway/people/invitation.ts';
import type { InvitationDeps } from '../auth/people/invitations.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import type { Guardrails } from '../guardrails/guardrails.ts';
import type { PeopleSignIn } from '../oauth/signin/contract.ts';
import { noSuchAddress, type PublicRoute } from '../routing/route.ts';
import type { GatewayStore } from '../storage/store.ts';
import { type Drain, healthAnswer } from './drain.ts';
import { checkOwnPage } from './ownPage.ts';
import type { Pages } from './pages.ts';
import { uiSession } from './signIn.ts';
import type { UiSessions } from './uiSession.ts';

/** What the public rows are served by. */
export interface PublicRoom extends InvitationDeps {
  readonly version: string;
  readonly callers: CallerResolver;
  readonly ui: UiSessions;
  /** Absent where no identity provider is configured. */
  readonly people: PeopleSignIn | undefined;
  readonly store: InvitationDeps['store'] & Pick<GatewayStore, 'ping'>;
  readonly guardrails: Pick<Guardrails, 'jwks'>;
  readonly openapi: () => Promise<object>;
  readonly drain: Drain;
  /** Absent where no pages were built. */
  readonly pages: Pages | undefined;
}

const open = { method: 'ANY', surface: 'public', auth: 'none', groups: [], spelled: 'whole' } as const;
const page = 'It serves browsers.';
const noStore = { 'cache-control': 'no-store' };

/** What the gateway answers without asking who it is: it shows nothing of anybody. */
export const publicRoutes: readonly PublicRoute<PublicRoom>[] = [
  {
    ...open,
    path: '/',
    requirements: ['gateway.ui.served'],
    openapi: page,
    handle: () => new Response(null, { status: 307, headers: { location: '/ui/' } }),
  },
  ...['/healthz', '/readyz'].map(
    (path): PublicRoute<PublicRoom> => ({
      ...open,
      path,
      requirements: ['gateway.service.draining'],
      openapi: 'It serves load balancers.',
      handle: async (_call, { drain, store, version }) =>
        healthAnswer(drain.isLeaving ? 'leaving' : (await store.ping()) ? 'ok' : 'no_db_connection', version),
    }),
  ),
  {
    ...open,
    path: '/livez',
    requirements: ['gateway.service.alive'],
    openapi: 'It serves supervisors that restart processes.',
    handle: (_call, { version }) => healthAnswer('ok', version),
  },
  {
    ...open,
    path: '/openapi.json',
    requirements: ['gateway.openapi.surfaces'],
    openapi: 'It returns this document.',
    handle: async (_call, { openapi }) => Response.json(await openapi()),
  },
  {
    ...open,
    path: '/.well-known/jwks.json',
    requirements: ['gateway.signer.jwks'],
    openapi: 'It is defined by RFC 7517.',
    handle: async (_call, { guardrails }) => {
      const { keys, maxAgeSeconds } = await guardrails.jwks();
      return Response.json({ keys }, { headers: { 'cache-control': `public, max-age=${maxAgeSeconds}` } });
    },
  },
  { ...open, path: '/favicon.ico', requirements: ['gateway.ui.served'], openapi: page, handle: noSuchAddress },
  {
    ...open,
    path: '/ui/session',
    requirements: ['gateway.ui.served'],
    openapi: page,
    handle: ({ request, context }, room) => uiSession(request, context, room),
  },
  {
    ...open,
    method: 'POST',
    path: '/ui/invitation',
    requirements: ['gateway.invitations'],
    openapi: page,
    async handle({ request, context }, room) {
      checkOwnPage(request);
      const { success, data } = AcceptInvitation.safeParse(await request.json().catch(() => undefined));
      if (!success)
        throw new Fault('invalid_params', 'The body must contain two members: token and name.', {
          data: { field: 'name' },
        });
      const { acceptInvitation } = await import('../auth/people/invitations.ts');
      return Response.json(await acceptInvitation(room, data, context.clientAddress), { headers: noStore });
    },
  },
  {
    ...open,
    method: 'GET',
    path: '/ui/sign-in',
    requirements: ['gateway.ui.sign-in'],
    openapi: page,
    handle: (_call, { people }) =>
      Response.json({ provider: people?.name ?? null, keys: people?.allowsKeys ?? true }, { headers: noStore }),
  },
  {
    ...open,
    method: 'POST',
    path: '/ui/sign-in',
    requirements: ['gateway.ui.sign-in'],
    openapi: page,
    handle({ request, context }, { people }) {
      checkOwnPage(request);
      return people?.begin(request, context) ?? noSuchAddress();
    },
  },
  {
    ...open,
    method: 'GET',
    path: '/ui/sign-in/callback',
    requirements: ['gateway.ui.sign-in'],
    openapi: page,
    handle: ({ request, context }, { people }) => people?.callback(request, context) ?? noSuchAddress(),
  },
  {
    ...open,
    method: 'POST',
    path: '/ui/sign-in/backchannel-logout',
    requirements: ['gateway.ui.sign-in.ends'],
    openapi: 'OpenID Connect Back-Channel Logout 1.0 defines it.',
    handle: ({ request }, { people }) => people?.backChannelLogout(request) ?? noSuchAddress(),
  },
  {
    ...open,
    path: '/ui/**',
    requirements: ['gateway.ui.served'],
    openapi: page,
    handle: async ({ params }, { pages }) => (await pages?.(params['rest'] ?? '')) ?? noSuchAddress(),
  },
];
