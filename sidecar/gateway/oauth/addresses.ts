import { pathSegments } from '../../platform/pathSegments.ts';
import type { McpRoute } from '../mcp/address.ts';
import { mcpRouteAt } from '../mcp/routes.ts';

/**
 * What an access token is good for: one address of the MCP data plane, in whichever of its spellings (RFC 8707,
 * `security.CVE-2025-69196`). `all`, `named/{name}` or `toolset/{name}`, the name decoded.
 */
export type Audience = string;

/** @param pathname as it stands in the URL. @returns `undefined` where no MCP route is */
export function audienceOf(pathname: string): Audience | undefined {
  const route = mcpRouteAt(pathname);
  if (!route) return undefined;
  return route.kind === 'all' ? 'all' : `${route.kind}/${route.name}`;
}

/** The path of an audience in its standard spelling, which RFC 9728 inserts. */
export function pathOf(audience: Audience): string {
  if (audience === 'all') return '/mcp';
  const at = audience.indexOf('/');
  const name = encodeURIComponent(audience.slice(at + 1));
  return audience.slice(0, at) === 'toolset' ? `/toolset/${name}/mcp` : `/mcp/${name}`;
}

export function routeOf(audience: Audience): McpRoute {
  const route = mcpRouteAt(pathOf(audience));
  if (!route) throw new RangeError(`not a valid audience: ${audience}`);
  return route;
}

/**
 * The audience of a `resource` parameter.
 *
 * @param baseUrl as the client reaches us, without a slash at its end
 * @returns `undefined` for what is not ours, or names more than an address
 */
export function audienceOfResource(resource: string, baseUrl: string): Audience | undefined {
  if (!URL.canParse(resource)) return undefined;
  const url = new URL(resource);
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/$/, '');
  const isPlain = url.username === '' && url.password === '' && url.search === '' && !resource.includes('#');
  if (!isPlain || url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${root}/`)) return undefined;
  const path = url.pathname.slice(root.length);
  return path === '' || path === '/' ? 'all' : audienceOf(path);
}

/** One spelling of an authorization server: which issuer it says it is, and where its endpoints are. */
export interface Issuer {
  /** Below the base URL: `/mcp`, `/{s}`, …; empty for the root. */
  readonly path: string;
  /** In front of `/authorize`, `/token` and `/register`: empty, or `/{s}`. */
  readonly prefix: string;
  readonly audience: Audience;
}

/** The one that protected-resource documents name for an audience: that of the server, else the aggregate's. */
export function issuerOf(audience: Audience): Issuer {
  const name = audience.startsWith('named/') ? audience.slice('named/'.length) : undefined;
  if (name === undefined || !hasOwnEndpoints(name)) return { path: '/mcp', prefix: '', audience: 'all' };
  const prefix = `/${encodeURIComponent(name)}`;
  return { path: prefix, prefix, audience };
}

/**
 * The issuer with a path (RFC 8414 3.1). `/mcp` alone is the aggregate's: a server called `mcp` is found under
 * `/mcp/mcp`.
 */
export function issuerAt(path: string): Issuer | undefined {
  const plain = path.replace(/\/$/, '');
  if (plain === '' || plain === '/mcp') return { path: plain, prefix: '', audience: 'all' };
  const segments = pathSegments(plain);
  const [name = ''] = segments ?? [];
  const isShort = segments?.length === 1 && hasOwnEndpoints(name);
  const audience = isShort ? `named/${name}` : audienceOf(plain);
  return audience === undefined ? undefined : { path: plain, prefix: issuerOf(audience).prefix, audience };
}

/** Names that other routes begin with have no `/{s}/authorize`; the endpoints of the aggregate serve them. */
export function hasOwnEndpoints(name: string): boolean {
  return !name.includes(',') && mcpRouteAt(`/${encodeURIComponent(name)}/mcp`)?.template === '/{server}/mcp';
}
