import * as z from 'zod';
import { AgentRecord } from '../../sidecar/protocol/gateway/agent.ts';
import * as answers from '../../sidecar/protocol/gateway/answers.ts';
import type { GatewayClient } from './client.ts';

/** Answers that nothing is read from. */
const Done = z.unknown();
/** An id as a part of a path. */
const part = encodeURIComponent;
const ImportAnswer = z.object({
  imported: z.array(z.object({ name: z.string() })),
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  errors: z.array(z.object({ name: z.string(), error: z.string() })),
});
const PAGE = 100;

/** The routes that the editor uses, by what they are for. All throw `GatewayError`. */
export function routesOf(client: GatewayClient) {
  return {
    servers: () => client.get('/v1/mcp/server', {}, z.array(answers.McpServerAnswer)),
    /** Asks the server whether it is well. */
    server: (id: string) => client.get(`/v1/mcp/server/${part(id)}`, {}, answers.McpServerAnswer),
    serverHealth: () => client.get('/v1/mcp/server/health', {}, z.array(answers.ServerHealthAnswer)),
    addServer: (body: unknown) => client.send('POST', '/v1/mcp/server', body, answers.McpServerAnswer),
    importServers: (mcp_servers: unknown) =>
      client.send('POST', '/v1/mcp/server/import', { mcp_servers }, ImportAnswer),
    removeServer: (id: string) => client.send('DELETE', `/v1/mcp/server/${part(id)}`, undefined, Done),
    signIn: (id: string) => client.send('POST', `/v1/mcp/server/${part(id)}/sign-in`, {}, z.object({ url: z.url() })),
    tools: (server_id: string) => client.get('/mcp-rest/tools/list', { server_id }, answers.ToolListAnswer),
    callTool: (server_id: string, name: string, args: Readonly<Record<string, unknown>>) =>
      client.send('POST', '/mcp-rest/tools/call', { server_id, name, arguments: args }, answers.ToolCallAnswer),

    models: () => client.get('/model/info', {}, answers.ModelInfoAnswer),
    addModel: (body: unknown) => client.send('POST', '/model/new', body, Done),

    agents: () => client.get('/v1/agents', {}, z.array(AgentRecord)),
    addAgent: (body: unknown) => client.send('POST', '/v1/agents', body, AgentRecord),
    removeAgent: (id: string) => client.send('DELETE', `/v1/agents/${part(id)}`, undefined, Done),

    /** The newest hundred. */
    keys: () =>
      client.get('/key/list', { size: PAGE, return_full_object: true }, answers.KeyListAnswer).then((it) => it.keys),
    /** @param token its hash */
    key: (token: string) => client.get('/key/info', { key: token }, answers.KeyInfoAnswer),
    newKey: (body: unknown) => client.send('POST', '/key/generate', body, answers.NewKeyAnswer),
    rotateKey: (body: unknown) => client.send('POST', '/key/regenerate', body, answers.NewKeyAnswer),
    revokeKey: (token: string) => client.send('POST', '/key/delete', { keys: [token] }, Done),
    explain: (body: unknown) => client.send('POST', '/access/explain', body, answers.ExplainAnswer),

    teams: () => client.get('/team/list', {}, z.array(answers.TeamAnswer)),
    /** @param day YYYY-MM-DD, UTC */
    activity: (day: string) =>
      client.get('/activity/endpoints', { start_date: day, end_date: day }, answers.EndpointActivityAnswer),
  };
}
export type GatewayRoutes = ReturnType<typeof routesOf>;
