import * as z from 'zod';
import { isEncodedOnce, type KeyRoute, noSuchAddress } from '../routing/route.ts';
import { RouteTable } from '../routing/routeTable.ts';
import { type McpRoute, mcpRouteOf } from './address.ts';

type Handler = KeyRoute<McpRoom>['handle'];
type Serve = (call: Parameters<Handler>[0]) => ReturnType<Handler>;

/** What the rows of MCP are served by. */
export interface McpRoom {
  readonly streamable: Serve;
  readonly sse: Serve;
  readonly listTools: Serve;
  readonly listForKey: Serve;
  readonly callTool: Serve;
  readonly testConnection: Serve;
  readonly testTools: Serve;
}

/** Words that are no server's, because other surfaces live there. */
const reserved: ReadonlySet<string> = new Set([
  'v1',
  'mcp-rest',
  'a2a',
  'ui',
  'cloudagents',
  'toolset',
  '.well-known',
  'sse',
]);

const mcp = {
  method: 'ANY',
  surface: 'mcp',
  auth: 'key',
  groups: ['mcp_routes', 'llm_api_routes'],
  openapi: 'MCP messages are not REST requests.',
} as const;
const streamable: Handler = (call, room) => room.streamable(call);
const sse: Handler = (call, room) => room.sse(call);

/** The addresses of MCP itself. Handlers look at the method. */
export const mcpRoutes: readonly KeyRoute<McpRoom>[] = [
  { ...mcp, path: '/mcp', requirements: ['gateway.route.mcp'], handle: streamable },
  {
    ...mcp,
    path: '/mcp/{server}',
    requirements: ['gateway.route.server-mcp'],
    accepts: ({ server }) => isEncodedOnce(server),
    handle: streamable,
  },
  {
    ...mcp,
    path: '/{server}/mcp',
    requirements: ['gateway.route.server-mcp'],
    accepts: ({ server = '' }) => isEncodedOnce(server) && !reserved.has(server),
    handle: streamable,
  },
  {
    ...mcp,
    path: '/{server}/sse',
    requirements: ['gateway.route.server-sse'],
    accepts: ({ server = '' }) => isEncodedOnce(server) && !reserved.has(server),
    handle: sse,
  },
  {
    ...mcp,
    path: '/toolset/{name}/mcp',
    requirements: ['gateway.route.toolset-mcp'],
    accepts: ({ name }) => isEncodedOnce(name),
    handle: streamable,
  },
  { ...mcp, path: '/sse', requirements: ['gateway.route.sse'], handle: sse },
];

const addresses = new RouteTable(mcpRoutes);

/** What a path means that a client names elsewhere than in its request line, for example as the resource of a token. */
export function mcpRouteAt(pathname: string): McpRoute | undefined {
  const match = addresses.find('POST', pathname);
  return match && mcpRouteOf(match);
}

const Tools = z.object({ tools: z.array(z.looseObject({ name: z.string() })), error: z.string().nullable() });
const Server = z.looseObject({ transport: z.enum(['http', 'sse', 'stdio']).optional(), url: z.string().optional() });

const rest = {
  surface: 'rest',
  auth: 'browser',
  groups: ['mcp_routes', 'llm_api_routes'],
  countedAs: '(mcpRest)',
  spelled: 'whole',
} as const;
const listed = { method: 'GET', path: '/mcp-rest/tools/list' } as const;
const called = { method: 'POST', path: '/mcp-rest/tools/call' } as const;
const connected = { method: 'POST', path: '/mcp-rest/test/connection' } as const;
const tried = { method: 'POST', path: '/mcp-rest/test/tools/list' } as const;
const unknown = {
  ...rest,
  method: 'ANY',
  requirements: ['gateway.address.judged'],
  openapi: 'This address is not in use.',
  handle: noSuchAddress,
} as const;

/** Tools without MCP: as REST. */
export const restRoutes: readonly KeyRoute<McpRoom>[] = [
  {
    ...rest,
    ...listed,
    requirements: ['gateway.route.mcp-rest'],
    openapi: [
      {
        ...listed,
        tag: 'mcp-rest',
        summary: 'Lists the tools that the key is allowed to use on one server or on all servers',
        query: z.object({
          server_id: z.string().optional(),
          mcp_server_name: z.string().optional(),
          toolset_name: z.string().optional(),
          include_disabled_tools: z.enum(['true', 'false']).optional(),
        }),
        answer: Tools,
      },
    ],
    handle: (call, room) => room.listTools(call),
  },
  {
    ...rest,
    ...called,
    requirements: ['gateway.route.mcp-rest'],
    openapi: [
      {
        ...called,
        tag: 'mcp-rest',
        summary: 'Calls a tool',
        body: z.object({
          name: z.string(),
          arguments: z.record(z.string(), z.unknown()).optional(),
          server_id: z.string().optional(),
        }),
        answer: z.looseObject({ content: z.array(z.unknown()), isError: z.boolean().optional() }),
      },
    ],
    handle: (call, room) => room.callTool(call),
  },
  {
    ...rest,
    ...connected,
    requirements: ['gateway.route.mcp-rest'],
    openapi: [
      {
        ...connected,
        tag: 'mcp-rest',
        summary: 'Connects to an unsaved server (administrators only)',
        body: Server,
      },
    ],
    handle: (call, room) => room.testConnection(call),
  },
  {
    ...rest,
    ...tried,
    requirements: ['gateway.route.mcp-rest'],
    openapi: [
      {
        ...tried,
        tag: 'mcp-rest',
        summary: 'Lists the tools on an unsaved server (administrators only)',
        body: Server,
        answer: Tools,
      },
    ],
    handle: (call, room) => room.testTools(call),
  },
  {
    ...rest,
    method: 'GET',
    path: '/v1/mcp/tools',
    requirements: ['gateway.route.v1-mcp'],
    openapi: 'It is an older name for /mcp-rest/tools/list.',
    handle: (call, room) => room.listForKey(call),
  },
  { ...unknown, path: listed.path },
  { ...unknown, path: called.path },
  { ...unknown, path: connected.path },
  { ...unknown, path: tried.path },
  { ...unknown, path: '/v1/mcp/tools' },
  { ...unknown, path: '/mcp-rest/**' },
];
