import type { HttpResponse } from '../../platform/httpMessages.ts';
import { OnUse } from '../../platform/onUse.ts';
import type { A2aFront } from '../a2a/front.ts';
import { a2aRoutes } from '../a2a/routes.ts';
import { type MetricsDeps, metricsRoutes } from '../activity/telemetry/metricsRoute.ts';
import type { CloudAgents } from '../cloudagents/cloudAgents.ts';
import { cloudRoutes } from '../cloudagents/routes.ts';
import type { Management } from '../management/management.ts';
import { keyRoute, subjects } from '../management/routes.ts';
import { scimRoutes } from '../management/scim/routes.ts';
import { type McpRoom, mcpRoutes, restRoutes } from '../mcp/routes.ts';
import type { Models } from '../models/models.ts';
import { modelRoutes } from '../models/routes.ts';
import type { OAuthFacade } from '../oauth/facade.ts';
import { oauthKeyRoutes, oauthRoutes } from '../oauth/routes.ts';
import {
  countedAs,
  type KeyRoute,
  noSuchAddress,
  type PublicContext,
  type PublicRoute,
  type Route,
  type RouteCall,
  type Surface,
} from '../routing/route.ts';
import { type RoutesOnUse, RouteTable } from '../routing/routeTable.ts';
import { type PublicRoom, publicRoutes } from './publicRoutes.ts';

const unknown = {
  surface: 'management',
  auth: 'browser',
  countedAs: '(management)',
  requirements: ['gateway.address.judged'],
  openapi: 'This address is not in use.',
  handle: noSuchAddress,
} as const;
const [read, other] = [
  { method: 'GET', groups: ['management_routes', 'info_routes'] },
  { method: 'ANY', groups: ['management_routes'] },
] as const;

/** Where nothing is, a key is asked for all the same: nobody learns without one which addresses there are. */
const unknownRoutes: readonly KeyRoute<void>[] = [
  { ...unknown, ...read, groups: [...read.groups, 'agent_routes'], path: '/v1/agents/**', spelled: 'whole' },
  { ...unknown, ...read, groups: [...read.groups, 'mcp_routes'], path: '/v1/mcp/**', spelled: 'whole' },
  // No server is called v1.
  { ...unknown, ...read, path: '/v1/**', spelled: 'whole' },
  { ...unknown, ...other, path: '/v1/**', spelled: 'whole' },
  { ...unknown, ...read, path: '/**' },
  { ...unknown, ...other, path: '/**' },
];

/** The rows that are there from the start. What is decided by an address is read from its row, once for a request. */
const first: readonly Route[] = [
  ...publicRoutes,
  ...mcpRoutes,
  ...restRoutes,
  ...a2aRoutes,
  ...oauthRoutes,
  ...oauthKeyRoutes,
  ...cloudRoutes,
  ...modelRoutes,
  ...scimRoutes,
  ...metricsRoutes,
  ...unknownRoutes,
];

const managementRoutes: readonly RoutesOnUse<KeyRoute<Management>>[] = subjects.map(({ paths, load }) => ({
  paths,
  load: async () => (await load()).map(keyRoute),
}));

/** Every address of the gateway. */
export async function allRoutes(): Promise<readonly Route[]> {
  const ofManagement = await Promise.all(managementRoutes.map((it) => it.load()));
  return [...first, ...ofManagement.flat()];
}

/** What the rows are served by. */
export interface Rooms {
  readonly publicRoom: PublicRoom;
  readonly mcp: McpRoom;
  readonly a2a: A2aFront;
  readonly oauth: OAuthFacade;
  readonly cloudAgents: CloudAgents;
  readonly models: Models;
  readonly management: Management;
  readonly metrics: MetricsDeps;
}

export interface ServedPublicRoute extends Route {
  readonly auth: 'none';
  serve(call: RouteCall<PublicContext>): HttpResponse | Promise<HttpResponse>;
}
export interface ServedKeyRoute extends Route {
  readonly auth: 'key' | 'browser';
  serve(call: RouteCall): HttpResponse | Promise<HttpResponse>;
}
export type ServedRoute = ServedPublicRoute | ServedKeyRoute;

/** The table of all rows, with what serves them. */
export function openRoutes(rooms: Rooms): RouteTable<ServedRoute> {
  const there: readonly ServedRoute[] = [
    ...publicRoutes.map(open(rooms.publicRoom)),
    ...mcpRoutes.map(keyed(rooms.mcp)),
    ...restRoutes.map(keyed(rooms.mcp)),
    ...a2aRoutes.map(keyed(rooms.a2a)),
    ...oauthRoutes.map(open(rooms.oauth)),
    ...oauthKeyRoutes.map(keyed(rooms.oauth)),
    ...cloudRoutes.map(keyed(rooms.cloudAgents)),
    ...modelRoutes.map(keyed(rooms.models)),
    ...scimRoutes.map(open(rooms.management.scim)),
    ...metricsRoutes.map(keyed(rooms.metrics)),
    ...unknownRoutes.map(keyed(undefined)),
  ];
  const serveManagement = keyed(rooms.management);
  return new RouteTable(
    there,
    managementRoutes.map(({ paths, load }) => ({ paths, load: async () => (await load()).map(serveManagement) })),
  );
}

const open =
  <Room>(room: Room) =>
  (route: PublicRoute<Room>): ServedPublicRoute => ({ ...route, serve: (call) => route.handle(call, room) });
const keyed =
  <Room>(room: Room) =>
  (route: KeyRoute<Room>): ServedKeyRoute => ({ ...route, serve: (call) => route.handle(call, room) });

const byTemplate = new RouteTable(first);
const byName = new Map(first.map((it) => [countedAs(it), it.surface]));

/**
 * The surface of a route by the template that stands in the log or in sums: a template is matched like the paths it is for. What
 * has no row at the start belongs to management.
 */
export const surfaceOf = (template: string): Surface =>
  byName.get(template) ?? byTemplate.find('POST', template)?.route.surface ?? 'management';

/** The OpenAPI document. What writes it, and the rows that it describes, are loaded with the first request for it. */
export function openApiOnUse(version: string): () => Promise<object> {
  const document = new OnUse(async () => {
    const [{ openApi }, routes] = await Promise.all([import('./openapi.ts'), allRoutes()]);
    return openApi(routes, version);
  });
  return () => document.open();
}
