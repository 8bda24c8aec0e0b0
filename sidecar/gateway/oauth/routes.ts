import { isEncodedOnce, type KeyRoute, noSuchAddress, type PublicRoute } from '../routing/route.ts';
import type { OAuthFacade } from './facade.ts';

const open = {
  surface: 'public',
  auth: 'none',
  groups: [],
  spelled: 'whole',
  openapi: 'RFC 6749 and related RFCs define it.',
} as const;
const other = {
  ...open,
  method: 'ANY',
  requirements: ['gateway.address.judged'],
  openapi: 'This address is not in use.',
  handle: noSuchAddress,
} as const;

/** `/authorize` and `/{server}/authorize` alike, for each of the endpoints that a server may have of its own. */
const endpoints = (prefix: '' | '/{server}'): readonly PublicRoute<OAuthFacade>[] => [
  {
    ...open,
    method: 'GET',
    path: `${prefix}/authorize`,
    requirements: ['gateway.oauth.tokens'],
    handle: (call, oauth) => oauth.authorize(call),
  },
  {
    ...open,
    method: 'POST',
    path: `${prefix}/authorize`,
    requirements: ['gateway.oauth.tokens'],
    handle: (call, oauth) => oauth.authorize(call),
  },
  { ...other, path: `${prefix}/authorize` },
  {
    ...open,
    method: 'POST',
    path: `${prefix}/token`,
    requirements: ['gateway.oauth.tokens'],
    handle: (call, oauth) => oauth.token(call),
  },
  { ...other, path: `${prefix}/token` },
  {
    ...open,
    method: 'POST',
    path: `${prefix}/register`,
    requirements: ['gateway.oauth.clients'],
    handle: (call, oauth) => oauth.register(call),
  },
  { ...other, path: `${prefix}/register` },
];

/** The authorization server for MCP clients, as far as nobody needs a key. */
export const oauthRoutes: readonly PublicRoute<OAuthFacade>[] = [
  {
    ...open,
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/**',
    requirements: ['gateway.oauth.discovery'],
    handle: (call, oauth) => oauth.protectedResource(call),
  },
  {
    ...open,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server/**',
    requirements: ['gateway.oauth.discovery'],
    handle: (call, oauth) => oauth.authorizationServer(call),
  },
  {
    ...open,
    method: 'GET',
    path: '/.well-known/openid-configuration/**',
    requirements: ['gateway.oauth.discovery'],
    handle: (call, oauth) => oauth.authorizationServer(call),
  },
  { ...other, path: '/.well-known/**' },
  ...endpoints(''),
  ...endpoints('/{server}'),
  {
    ...open,
    method: 'POST',
    path: '/revoke',
    requirements: ['gateway.oauth.revoked'],
    handle: (call, oauth) => oauth.revoke(call),
  },
  { ...other, path: '/revoke' },
  {
    ...open,
    method: 'GET',
    path: '/callback',
    requirements: ['gateway.oauth.sign-in'],
    handle: (call, oauth) => oauth.callback(call),
  },
  { ...other, path: '/callback' },
  {
    ...open,
    method: 'GET',
    path: '/connect',
    requirements: ['gateway.oauth.sign-in'],
    handle: (call, oauth) => oauth.connect(call),
  },
  {
    ...open,
    method: 'POST',
    path: '/connect',
    requirements: ['gateway.oauth.sign-in'],
    handle: (call, oauth) => oauth.connect(call),
  },
  { ...other, path: '/connect' },
];

/** Whoever may use servers may ask of their own tokens, and sign in to their servers. */
const own = {
  surface: 'management',
  auth: 'browser',
  groups: ['mcp_routes', 'management_routes', 'llm_api_routes'],
  countedAs: '(management)',
} as const;
const unknown = {
  ...own,
  method: 'ANY',
  requirements: ['gateway.address.judged'],
  openapi: 'This address is not in use.',
  handle: noSuchAddress,
} as const;

/** What wants a key. */
export const oauthKeyRoutes: readonly KeyRoute<OAuthFacade>[] = [
  {
    ...own,
    method: 'POST',
    path: '/introspect',
    spelled: 'whole',
    requirements: ['gateway.oauth.revoked'],
    openapi: 'RFC 7662 defines it.',
    handle: (call, oauth) => oauth.introspect(call),
  },
  { ...unknown, path: '/introspect', spelled: 'whole' },
  {
    ...own,
    method: 'POST',
    path: '/v1/mcp/server/{server_id}/sign-in',
    accepts: ({ server_id }) => isEncodedOnce(server_id),
    requirements: ['gateway.oauth.sign-in'],
    openapi: "It is for the gateway's own pages and for editor windows.",
    handle: (call, oauth) => oauth.signIn(call),
  },
  { ...unknown, path: '/v1/mcp/server/{server_id}/sign-in' },
];

/** What the rows ask of the authorization server. */
export const oauthMethods = [
  'protectedResource',
  'authorizationServer',
  'authorize',
  'token',
  'register',
  'revoke',
  'callback',
  'connect',
  'introspect',
  'signIn',
] as const satisfies readonly (keyof OAuthFacade)[];
