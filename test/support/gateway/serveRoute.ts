import type { CallContext } from '../../../sidecar/gateway/auth/caller.ts';
import { type KeyRoute, noSuchAddress } from '../../../sidecar/gateway/routing/route.ts';
import { RouteTable } from '../../../sidecar/gateway/routing/routeTable.ts';
import { webResponse } from './webResponse.ts';

/** A request to one room alone, by its rows of the table of routes, with as much of a context as the room reads. @throws {Fault} `not_found` where none is */
export async function serveRoute<Room>(
  routes: readonly KeyRoute<Room>[],
  room: Room,
  request: Request,
  context: object,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { route, params } = new RouteTable(routes).find(request.method, pathname) ?? noSuchAddress();
  return webResponse(await route.handle({ request, context: context as CallContext, params, route, pathname }, room));
}
