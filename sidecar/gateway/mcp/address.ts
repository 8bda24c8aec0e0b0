import type { RouteCall } from '../routing/route.ts';

/** Which servers an address means, before access is asked. */
export type McpRoute =
  | { readonly kind: 'all'; readonly template: string }
  | { readonly kind: 'named' | 'toolset'; readonly name: string; readonly template: string };

/** By the parameters of the row. */
export function mcpRouteOf({ route, params }: Pick<RouteCall, 'route' | 'params'>): McpRoute {
  const template = route.path;
  const { server, name } = params;
  if (server !== undefined) return { kind: 'named', name: server, template };
  return name === undefined ? { kind: 'all', template } : { kind: 'toolset', name, template };
}
