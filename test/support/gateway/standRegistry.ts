import { randomBytes, randomUUID } from 'node:crypto';
import { hashKey, keyName, newKey } from '../../../sidecar/gateway/auth/keys.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { AgentRecord, AgentSecretFields } from '../../../sidecar/protocol/gateway/agent.ts';
import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import type { McpCredentials, McpServerRecord } from '../../../sidecar/protocol/gateway/mcpServer.ts';

export type Manage = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** What a stand knows: `add…` writes into the store, `register…` goes over the API, as people do it. */
export interface StandRegistry {
  /** A key of a person. @returns it in clear text */
  addKey(more?: Partial<KeyRecord>): Promise<string>;
  addServer(server: Partial<McpServerRecord> & { readonly alias: string }, credentials?: McpCredentials): Promise<void>;
  addAgent(agent: Partial<AgentRecord> & { readonly agent_name: string }, secrets?: AgentSecretFields): Promise<void>;
  /** A server at a path of the backend; `allow_private_network` is set. @returns its id */
  register(
    server: Partial<McpServerRecord> & { readonly alias: string; readonly credentials?: McpCredentials },
  ): Promise<string>;
  /** An agent at a path of the backend. @returns its id */
  registerAgent(agent_name: string, gateway_params?: object, more?: object): Promise<string>;
}

const at = '2026-01-01T00:00:00.000Z';
const stamps = { created_at: at, updated_at: at };

export function standRegistry(store: GatewayStore, manage: Manage, backendUrl: string): StandRegistry {
  return {
    async addKey(record = {}) {
      const key = newKey(randomBytes);
      const names = { token: hashKey(key), token_id: randomUUID(), key_name: keyName(key) };
      await store.key.insert({ ...names, rotation_count: 0, ...stamps, ...record });
      return key;
    },
    async addServer(server, credentials) {
      const server_id = server.server_id ?? `id-${server.alias}`;
      if (credentials) await store.secrets.put('mcp_server', server_id, 'credentials', JSON.stringify(credentials));
      await store.mcp_server.insert({
        server_id,
        transport: 'http',
        allow_private_network: true,
        approval_status: 'active',
        ...stamps,
        ...server,
      });
    },
    async addAgent(agent, secrets) {
      const agent_id = agent.agent_id ?? randomUUID();
      for (const [name, value] of Object.entries(secrets ?? {}))
        if (value) await store.secrets.put('agent', agent_id, name, value);
      await store.agent.insert({
        agent_id,
        agent_card_params: { name: agent.agent_name, url: `${backendUrl}/agent` },
        gateway_params: { allow_private_network: true },
        ...stamps,
        ...agent,
      });
    },
    async register(server) {
      const address = { transport: 'http', url: `${backendUrl}/mcp/${server.alias}`, allow_private_network: true };
      return String((await manage('POST', '/v1/mcp/server', { ...address, ...server }))['server_id']);
    },
    async registerAgent(agent_name, gateway_params = {}, other = {}) {
      const made = await manage('POST', '/v1/agents', {
        agent_name,
        agent_card_params: { name: agent_name, url: `${backendUrl}/agent/${agent_name}` },
        gateway_params: { allow_private_network: true, ...gateway_params },
        ...other,
      });
      return String(made['agent_id']);
    },
  };
}
