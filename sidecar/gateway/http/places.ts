import { matchMcpRoute } from '../mcp/routes.ts';

/** Which part of the gateway serves a path, under which name its calls are counted, and the groups of `allowed_routes`. */
export interface Place {
  readonly surface: 'mcp' | 'mcpRest' | 'a2a' | 'cloudAgents' | 'management' | 'open';
  readonly template: string;
  readonly groups: readonly string[];
}

const open = (template: string): Place => ({ surface: 'open', template, groups: [] });
const dataGroups = ['llm_api_routes'];
const ownGroups = ['mcp_routes', 'management_routes', ...dataGroups];
const signIn = /^\/v1\/mcp\/server\/[^/]+\/sign-in$/;
const signInTemplate = '/v1/mcp/server/{server_id}/sign-in';

/**
 * Decided once for a request, on the path as it stood on the wire, by which the request is also dispatched.
 *
 * @returns `undefined` for a path that two readers could understand differently: dot segments, doubled or encoded slashes,
 *   backslashes, control characters
 */
export function placeOf(method: string, pathname: string): Place | undefined {
  if (!isPlain(pathname)) return undefined;
  if (isUnder(pathname, '/mcp-rest') || pathname === '/v1/mcp/tools')
    return { surface: 'mcpRest', template: pathname, groups: ['mcp_routes', ...dataGroups] };
  const mcp = matchMcpRoute(pathname);
  if (mcp) return { surface: 'mcp', template: mcp.template, groups: ['mcp_routes', ...dataGroups] };
  if (isUnder(pathname, '/a2a') || isUnder(pathname, '/v1/a2a'))
    return { surface: 'a2a', template: '/a2a/{agent_id}', groups: ['agent_routes', ...dataGroups] };
  if (isUnder(pathname, '/cloudagents'))
    return { surface: 'cloudAgents', template: '/cloudagents', groups: ['passthrough_routes', ...dataGroups] };
  if (isOpen(pathname)) return open(pathname);
  // Whoever may use servers may ask of their own tokens, and sign in to their servers.
  if (pathname === '/introspect') return { surface: 'management', template: pathname, groups: ownGroups };
  if (signIn.test(pathname)) return { surface: 'management', template: signInTemplate, groups: ownGroups };
  const info = method === 'GET' ? ['info_routes'] : [];
  const agents = isUnder(pathname, '/v1/agents') && method === 'GET' ? ['agent_routes'] : [];
  const servers = isUnder(pathname, '/v1/mcp') && method === 'GET' ? ['mcp_routes'] : [];
  return { surface: 'management', template: pathname, groups: ['management_routes', ...info, ...agents, ...servers] };
}

const openPaths: ReadonlySet<string> = new Set([
  '/',
  '/healthz',
  '/openapi.json',
  '/favicon.ico',
  '/authorize',
  '/token',
  '/register',
  '/callback',
  '/connect',
  '/revoke',
]);
const openLast: ReadonlySet<string> = new Set(['authorize', 'token', 'register']);

/** What answers without a key: it shows nothing of anybody. */
function isOpen(pathname: string): boolean {
  if (openPaths.has(pathname) || isUnder(pathname, '/ui') || isUnder(pathname, '/.well-known')) return true;
  const segments = pathname.split('/');
  return segments.length === 3 && openLast.has(segments[2] ?? '') && segments[1] !== 'v1';
}

const isUnder = (pathname: string, root: string) => pathname === root || pathname.startsWith(`${root}/`);

function isPlain(pathname: string): boolean {
  if (pathname.includes('//') || pathname.includes('\\') || /%2f|%5c|%00/i.test(pathname)) return false;
  try {
    const decoded = decodeURIComponent(pathname);
    return !/\p{Cc}/u.test(decoded) && !decoded.split('/').some((it) => it === '.' || it === '..');
  } catch {
    return false; // a lone percent sign
  }
}
