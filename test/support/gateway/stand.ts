import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { GatewayOptions } from '../../../sidecar/gateway/options.ts';
import type { Clock } from '../../../sidecar/platform/clock.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import type { AgentRecord, AgentSecretFields } from '../../../sidecar/protocol/gateway/agent.ts';
import { type EchoBackend, type Heard, startEchoBackend } from '../backends/echoBackend.ts';
import { RawClient } from '../mcp/rawClient.ts';
import { until } from '../until.ts';
import { type WholeGateway, wholeGateway } from './wholeGateway.ts';

/** The gateway as people run it, in front of one real backend that is an MCP server, an A2A agent and the cloud service. */
export interface Stand {
  readonly whole: WholeGateway;
  readonly base: string;
  readonly backend: EchoBackend;
  /** What the backend heard, without handshakes. */
  calls(): readonly Heard[];
  /** An MCP client at a path, with a key. */
  mcp(path: string, key: string, headers?: Record<string, string>): RawClient;
  addAgent(agent: Partial<AgentRecord> & { readonly agent_name: string }, secrets?: AgentSecretFields): Promise<void>;
  /** The lines of the log, oldest first, as soon as there are `count`. @throws after a while with fewer; so many and no more */
  records(count: number): Promise<readonly SpendLog[]>;
  close(): Promise<void>;
}

export const cloudKey = 'cloud-service-key-0123456789';
const at = '2026-01-01T00:00:00.000Z';

export async function openStand(more: Partial<GatewayOptions> = {}, clock: Clock = systemClock): Promise<Stand> {
  const backend = await startEchoBackend();
  backend.answer = speakAll;
  const whole = await wholeGateway(clock, {
    cloudAgents: { upstreamUrl: `${backend.url}/cloud`, prefix: 'cloudagents' },
    env: { CLOUDAGENTS_API_KEY: cloudKey },
    ...more,
  });
  const { store } = whole.gateway;
  return {
    whole,
    base: whole.base,
    backend,
    calls: () => backend.heard.filter((it) => !/"(?:initialize|notifications\/initialized)"/.test(it.body.toString())),
    mcp: (path, key, headers = {}) =>
      new RawClient(`${whole.base}${path}`, { authorization: `Bearer ${key}`, ...headers }),
    async addAgent(agent, secrets) {
      const agent_id = agent.agent_id ?? randomUUID();
      for (const [name, value] of Object.entries(secrets ?? {}))
        if (value) await store.secrets.put('agent', agent_id, name, value);
      await store.agent.insert({
        agent_id,
        agent_card_params: { name: agent.agent_name, url: `${backend.url}/agent` },
        gateway_params: { allow_private_network: true },
        created_at: at,
        updated_at: at,
        ...agent,
      });
    },
    async records(count) {
      const query = SpendLogsQuery.parse({ page_size: 1_000, sort_order: 'asc' });
      const read = async () => (await store.spendLogs.page(query)).data;
      await until(`${count} calls are on record`, async () => (await read()).length >= count);
      const found = await read();
      if (found.length !== count) throw new Error(`${found.length} records instead of ${count}`);
      return found;
    },
    async close() {
      await whole.close();
      await backend.close();
    },
  };
}

export const a2aMessage = { kind: 'message', role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: 'hi' }] };
export const a2aSend = (method = 'message/send') =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { message: a2aMessage } });

/** Answers as whatever the path says: `/agent…` an agent, `/mcp…` an MCP server with one tool, anything else `{}`. */
export function speakAll(heard: Heard, response: ServerResponse): void {
  if (heard.path.startsWith('/agent')) return answerRpc(heard, response, { ...a2aMessage, role: 'agent' });
  if (heard.path.startsWith('/mcp')) return speakMcp(heard, response);
  response.setHeader('content-type', 'application/json').end('{}');
}

export const echoTool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } };

/** An MCP server without sessions, with these tools; each answers with the arguments it got. */
export function speakMcp(heard: Heard, response: ServerResponse, tools: readonly object[] = [echoTool]): void {
  if (heard.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = JSON.parse(heard.body.toString()) as {
    id?: unknown;
    method?: string;
    params?: { arguments?: unknown };
  };
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'initialize') return answerRpc(heard, response, hello);
  if (method === 'tools/list') return answerRpc(heard, response, { tools });
  if (method === 'tools/call') {
    const text = JSON.stringify(params?.arguments ?? {});
    return answerRpc(heard, response, { content: [{ type: 'text', text }] });
  }
  response.writeHead(400).end();
}

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'echo', version: '1' },
};

function answerRpc({ body }: Heard, response: ServerResponse, result: unknown): void {
  const { id } = JSON.parse(body.toString()) as { id?: unknown };
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
