import * as z from 'zod';

/** A route that another room serves, for the OpenAPI document. */
export interface ServedRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly tag: 'mcp-rest' | 'a2a' | 'cloudagents';
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
}

const Tools = z.object({ tools: z.array(z.looseObject({ name: z.string() })), error: z.string().nullable() });
const Server = z.looseObject({ transport: z.enum(['http', 'sse', 'stdio']).optional(), url: z.string().optional() });
const Message = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.unknown().optional() });
const Prompt = z.looseObject({ prompt: z.looseObject({ text: z.string() }) });

const cloud = (method: ServedRoute['method'], path: string, summary: string, body?: z.ZodType): ServedRoute => ({
  method,
  path: `/cloudagents/v0${path}`,
  tag: 'cloudagents',
  summary,
  ...(body && { body }),
});
const a2a = (path: string): ServedRoute => ({
  method: 'POST',
  path,
  tag: 'a2a',
  summary: 'Calls an agent with a JSON-RPC message of A2A; the method says what it is',
  body: Message,
});

/** What programs call beside MCP itself, whose messages are no REST. */
export const servedRoutes: readonly ServedRoute[] = [
  {
    method: 'GET',
    path: '/mcp-rest/tools/list',
    tag: 'mcp-rest',
    summary: 'The tools that the key may use, of all servers or of one',
    query: z.object({
      server_id: z.string().optional(),
      mcp_server_name: z.string().optional(),
      toolset_name: z.string().optional(),
      include_disabled_tools: z.enum(['true', 'false']).optional(),
    }),
    answer: Tools,
  },
  {
    method: 'POST',
    path: '/mcp-rest/tools/call',
    tag: 'mcp-rest',
    summary: 'Calls a tool',
    body: z.object({
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      server_id: z.string().optional(),
    }),
    answer: z.looseObject({ content: z.array(z.unknown()), isError: z.boolean().optional() }),
  },
  {
    method: 'POST',
    path: '/mcp-rest/test/connection',
    tag: 'mcp-rest',
    summary: 'Administrators: connects to a server that is not saved',
    body: Server,
  },
  {
    method: 'POST',
    path: '/mcp-rest/test/tools/list',
    tag: 'mcp-rest',
    summary: 'Administrators: lists the tools of a server that is not saved',
    body: Server,
    answer: Tools,
  },
  a2a('/a2a/{agent_id}'),
  a2a('/a2a/{agent_id}/message/send'),
  a2a('/v1/a2a/{agent_id}/message/send'),
  {
    method: 'GET',
    path: '/a2a/{agent_id}/.well-known/agent-card.json',
    tag: 'a2a',
    summary: 'The card of an agent, with the address of the gateway',
    answer: z.looseObject({ name: z.string().optional(), url: z.string().optional() }),
  },
  cloud('GET', '/agents', 'Lists cloud agents; relayed as it is, as is every other path below /cloudagents'),
  cloud('POST', '/agents', 'Launches a cloud agent', Prompt),
  cloud('GET', '/agents/{id}', 'How a cloud agent is'),
  cloud('DELETE', '/agents/{id}', 'Deletes a cloud agent'),
  cloud('GET', '/agents/{id}/conversation', 'What was said with a cloud agent'),
  cloud('POST', '/agents/{id}/followup', 'Adds a follow-up', Prompt),
  cloud('POST', '/agents/{id}/stop', 'Stops a cloud agent'),
  cloud('GET', '/me', 'Whose credential of the service is used'),
  cloud('GET', '/models', 'Lists the models of the service'),
  cloud('GET', '/repositories', 'Lists the repositories of the service'),
];
