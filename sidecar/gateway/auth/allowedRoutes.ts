/**
 * Whether a key may use a route. An entry is a path, a path that ends in `*`, or the name of a group of routes; no
 * list, or an empty one, allows every route.
 *
 * @param path the decoded path of the request
 * @param template the route's own, as `/a2a/{agent_id}`
 * @param groups the groups that the route belongs to, as `mcp_routes`
 */
export function isRouteAllowed(
  allowed: readonly string[] | null | undefined,
  path: string,
  template: string,
  groups: readonly string[],
): boolean {
  if (!allowed || allowed.length === 0) return true;
  return allowed.some((it) => {
    if (groups.includes(it)) return true;
    if (it.endsWith('*')) return path.startsWith(it.slice(0, -1));
    return it === path || it === template;
  });
}
