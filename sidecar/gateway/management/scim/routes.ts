import type { HttpResponse } from '../../../platform/httpMessages.ts';
import type { Method, PublicContext, PublicRoute, RouteCall } from '../../routing/route.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import type { DiscoveryName } from './discovery.ts';

export type ScimPlace = 'Users' | 'Groups' | DiscoveryName | undefined;

/** The users and groups of an identity provider, which it manages itself (RFC 7644). */
export interface Scim {
  serve(call: RouteCall<PublicContext>, place: ScimPlace): Promise<HttpResponse>;
}

/** Loaded with the first request. */
export const scimOnUse = (deps: ManagementDeps): Scim => ({
  serve: async (call, place) => (await import('./serve.ts')).serveScim(call, place, deps),
});

const scim = {
  surface: 'public',
  auth: 'none',
  groups: [],
  spelled: 'root',
  requirements: ['gateway.scim.served'],
  openapi: 'RFC 7644 defines it.',
} as const;

const row = (method: Method | 'ANY', path: string, place: ScimPlace): PublicRoute<Scim> => ({
  ...scim,
  method,
  path: `/scim/v2/${path}`,
  handle: (call, room) => room.serve(call, place),
});

/** With a token of their own: no virtual key and no signed-in browser is of use here. */
export const scimRoutes: readonly PublicRoute<Scim>[] = [
  ...(['Users', 'Groups'] as const).flatMap((it) => [
    row('GET', it, it),
    row('POST', it, it),
    row('GET', `${it}/{id}`, it),
    row('PUT', `${it}/{id}`, it),
    row('PATCH', `${it}/{id}`, it),
    row('DELETE', `${it}/{id}`, it),
  ]),
  row('GET', 'ServiceProviderConfig', 'ServiceProviderConfig'),
  ...(['ResourceTypes', 'Schemas'] as const).flatMap((it) => [row('GET', it, it), row('GET', `${it}/{id}`, it)]),
  row('ANY', '**', undefined),
];
