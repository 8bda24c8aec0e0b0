import { pathSegments } from '../../platform/pathSegments.ts';

/** Which servers an address means, before access is asked. */
export type McpRoute =
  | { readonly kind: 'all'; readonly template: '/mcp' | '/sse' }
  | { readonly kind: 'named'; readonly name: string; readonly template: '/mcp/{server}' | '/{server}/mcp' }
  | { readonly kind: 'toolset'; readonly name: string; readonly template: '/toolset/{name}/mcp' };

/** Words that are no server's, because other surfaces live there. */
const reserved = new Set(['v1', 'mcp-rest', 'a2a', 'ui', 'cloudagents', 'toolset', '.well-known', 'sse']);

/**
 * The route of a path of the MCP data plane; `undefined` for every other, and for one that two readers could
 * understand differently.
 *
 * @param pathname as it stands in the URL, still encoded
 */
export function matchMcpRoute(pathname: string): McpRoute | undefined {
  const segments = pathSegments(pathname);
  if (!segments) return undefined;
  const [first, second, third] = segments;
  if (segments.length === 1 && first === 'mcp') return { kind: 'all', template: '/mcp' };
  if (segments.length === 1 && first === 'sse') return { kind: 'all', template: '/sse' };
  if (segments.length === 2 && first === 'mcp' && second)
    return { kind: 'named', name: second, template: '/mcp/{server}' };
  if (segments.length === 2 && second === 'mcp' && first && !reserved.has(first)) {
    return { kind: 'named', name: first, template: '/{server}/mcp' };
  }
  if (segments.length === 3 && first === 'toolset' && second && third === 'mcp') {
    return { kind: 'toolset', name: second, template: '/toolset/{name}/mcp' };
  }
  return undefined;
}
