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
  async function one(server: McpServerRecord, signal: AbortSignal): Promise<KeptHealth> {
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
    const { status, error } = await backends.serverHealth(server, server.url, signal);
    return { ...known, status, health_check_error: error ?? null };
  }

  async function several(wanted: readonly McpServerRecord[], signal: AbortSignal): Promise<readonly KeptHealth[]> {
    const found: KeptHealth[] = [];
    for (let at = 0; at < wanted.length && !signal.aborted; at += AT_ONCE)
      found.push(...(await Promise.all(wanted.slice(at, at + AT_ONCE).map((it) => one(it, signal)))));
    // Who leaves did not hear all answers.
    if (!signal.aborted) await kept.put(found);
    return found;
  }

  return {
    async servers(ids: readonly string[]): Promise<readonly KeptHealth[]> {
      const { servers } = await directory.registered();
      return several(
        servers.filter((it) => ids.includes(it.server_id)),
        new AbortController().signal,
      );
    },
    /** @param signal what is under way is not waited for, and keeps nothing */
    async allServers(signal: AbortSignal): Promise<void> {
      await several((await directory.registered()).servers, signal);
    },
    async isAgentWell(agent: AgentRecord): Promise<boolean> {
      const url = addressOf(agent);
      if (url === undefined) return false;
      return (await backends.agentHealth(agent, url, new AbortController().signal)).status === 'healthy';
    },
  };
}
