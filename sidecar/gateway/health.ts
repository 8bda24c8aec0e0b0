import type { Clock } from '../platform/clock.ts';
import type { AgentRecord } from '../protocol/gateway/agent.ts';
import type { McpServerRecord } from '../protocol/gateway/mcpServer.ts';
import type { Backends } from './backends/backends.ts';
import type { StdioPolicy } from './backends/mcp/commands.ts';
import type { Directory } from './callers/directory.ts';
import { checkCommand } from './stdio.ts';
import type { KeptHealth } from './storage/serverHealth.ts';
import type { GatewayStore } from './storage/store.ts';
import { addressOf } from './surfaces.ts';

const AT_ONCE = 16;

export interface HealthParts {
  readonly directory: Directory;
  readonly kept: GatewayStore['serverHealth'];
  readonly backends: Backends;
  readonly stdio: StdioPolicy;
  readonly clock: Clock;
}

/** Asks backends whether they answer at all, and keeps what servers answered. Needs nobody's credential. */
export function openHealth({ directory, kept, backends, stdio, clock }: HealthParts) {
  async function one(server: McpServerRecord): Promise<KeptHealth> {
    const known = { server_id: server.server_id, last_health_check: clock.now() };
    if (server.transport === 'stdio') {
      try {
        checkCommand(server, stdio);
        return { ...known, status: 'healthy', health_check_error: null };
      } catch (thrown) {
        return { ...known, status: 'unhealthy', health_check_error: thrown instanceof Error ? thrown.message : '' };
      }
    }
    if (!server.url) return { ...known, status: 'unknown', health_check_error: null };
    const { status, error } = await backends.serverHealth(server, server.url, new AbortController().signal);
    return { ...known, status, health_check_error: error ?? null };
  }

  async function several(wanted: readonly McpServerRecord[]): Promise<readonly KeptHealth[]> {
    const found: KeptHealth[] = [];
    for (let at = 0; at < wanted.length; at += AT_ONCE)
      found.push(...(await Promise.all(wanted.slice(at, at + AT_ONCE).map(one))));
    await kept.put(found);
    return found;
  }

  return {
    async servers(ids: readonly string[]): Promise<readonly KeptHealth[]> {
      const { servers } = await directory.registered();
      return several(servers.filter((it) => ids.includes(it.server_id)));
    },
    async allServers(): Promise<void> {
      await several((await directory.registered()).servers);
    },
    async isAgentWell(agent: AgentRecord): Promise<boolean> {
      const url = addressOf(agent);
      if (url === undefined) return false;
      return (await backends.agentHealth(agent, url, new AbortController().signal)).status === 'healthy';
    },
  };
}
