import type { Children } from '../../platform/children/children.ts';
import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import { defaultA2aOptions } from '../a2a/a2aDeps.ts';
import { addressOf } from '../a2a/agentAccess.ts';
import { cardUrls, readCard } from '../a2a/fetchCard.ts';
import type { BackendSecretsCache } from '../auth/credentialStores.ts';
import type { Directory } from '../auth/directory.ts';
import type { Backends } from '../backends/backends.ts';
import type { StdioPolicy } from '../backends/mcp/commands.ts';
import type { McpConnections } from '../backends/mcp/connections.ts';
import { probeServer } from '../backends/mcp/probe.ts';
import { checkCommand } from '../backends/mcp/stdioPolicy.ts';
import type { McpTarget } from '../backends/mcp/types.ts';
import { healthLimitMs } from '../backends/net/health.ts';
import type { LazyApis } from '../backends/openapi/lazyApis.ts';
import { apiOf } from '../backends/registration.ts';
import type { ListedTools } from '../mcp/aggregation/listedTools.ts';
import type { KeptHealth } from '../storage/serverHealth.ts';
import type { GatewayStore } from '../storage/store.ts';

const AT_ONCE = 16;
const MAX_HELLO_BYTES = 1_000_000;

export interface HealthDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId'> {
  readonly directory: Directory;
  readonly kept: GatewayStore['serverHealth'];
  readonly backends: Backends;
  readonly secrets: BackendSecretsCache;
  /** Those of calls: programs that run are seen there. */
  readonly connections: McpConnections;
  readonly listed: ListedTools;
  readonly children: Children;
  readonly stdio: StdioPolicy;
  readonly apis: LazyApis;
}
type Found = Pick<KeptHealth, 'status' | 'health_check_error'>;

/** Nobody calls: no header of a caller goes along, and no stored token of a person. */
const noCaller = { inbound: { headers: new Map<string, string>(), holdsKey: () => false }, user: '' };
const notStarted = "The server's program starts on the first call.";
const personal = 'Each caller sends their own credential, so only a call shows whether it works.';
const noCredential = 'A credential is required, but none is registered. Callers can send their own.';

/** Asks backends whether they answer as they should, and keeps what servers answered. */
export function openHealth(deps: HealthDeps) {
  const { directory, kept, backends, secrets, connections, stdio, clock, timers } = deps;

  async function one(server: McpServerRecord, signal: AbortSignal): Promise<KeptHealth> {
    const last_health_check = clock.now();
    return { server_id: server.server_id, last_health_check, ...(await stateOf(server, signal)) };
  }

  async function stateOf(server: McpServerRecord, signal: AbortSignal): Promise<Found> {
    if (server.transport === 'stdio') return programState(server);
    const { url } = server;
    if (server.spec_path) return documentState(deps, server, signal);
    if (!url) return { status: 'unknown', health_check_error: null };
    const isPersonal = server.is_byok || server.oauth_passthrough || server.delegate_auth_to_upstream;
    try {
      if (isPersonal) return await reachOf(server, url, signal);
      const kept = await secrets.server(server.server_id);
      const way = await backends.forServer(server, kept, { ...noCaller, signal });
      const either = (its: AbortSignal) => AbortSignal.any([its, signal]);
      const outbound = { ...way, send: (...[it, its]: Parameters<typeof way.send>) => way.send(it, either(its)) };
      const probed = await probeServer(deps, targetOf(server, url), outbound);
      if (probed.status === 'healthy' && probed.tools) deps.listed.note(server.server_id, probed.tools);
      if (probed.status === 'unhealthy') deps.listed.forget(server.server_id);
      if (probed.status !== 'refused') return { status: probed.status, health_check_error: probed.error ?? null };
      if (!server.auth_type || server.auth_type === 'none')
        return { status: 'unknown', health_check_error: noCredential };
      const words = `The server rejected the registered credential (HTTP ${probed.httpStatus}).`;
      return { status: 'unhealthy', health_check_error: words };
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      if (thrown.code === 'auth_required') return reachOf(server, url, signal);
      return { status: 'unhealthy', health_check_error: thrown.message };
    }
  }

  /** A program is not started to be asked. */
  function programState(server: McpServerRecord): Found {
    try {
      checkCommand(server, stdio);
    } catch (thrown) {
      return { status: 'unhealthy', health_check_error: thrown instanceof Error ? thrown.message : '' };
    }
    return connections.isOpen(server.server_id)
      ? { status: 'healthy', health_check_error: null }
      : { status: 'unknown', health_check_error: notStarted };
  }

  async function reachOf(server: McpServerRecord, url: string, signal: AbortSignal): Promise<Found> {
    const { status, error } = await backends.serverHealth(server, url, signal);
    return status === 'healthy'
      ? { status: 'unknown', health_check_error: personal }
      : { status, health_check_error: error ?? null };
  }

  async function checkServers(wanted: readonly McpServerRecord[], signal: AbortSignal): Promise<readonly KeptHealth[]> {
    const found: KeptHealth[] = [];
    for (let at = 0; at < wanted.length && !signal.aborted; at += AT_ONCE)
      found.push(...(await Promise.all(wanted.slice(at, at + AT_ONCE).map((it) => one(it, signal)))));
    // A leader that was replaced did not receive all answers.
    if (!signal.aborted) await kept.put(found);
    return found;
  }

  return {
    async servers(ids: readonly string[]): Promise<readonly KeptHealth[]> {
      const { servers } = await directory.registered();
      return checkServers(
        servers.filter((it) => ids.includes(it.server_id)),
        new AbortController().signal,
      );
    },
    /** @param signal what is under way is not waited for, and keeps nothing */
    async allServers(signal: AbortSignal): Promise<void> {
      await checkServers((await directory.registered()).servers, signal);
    },
    /** An A2A agent gives its card; one that is reached in a provider's own way has none, and answers at all. */
    async isAgentWell(agent: AgentRecord): Promise<boolean> {
      const url = addressOf(agent);
      if (url === undefined || !URL.canParse(url)) return false;
      const signal = timers.deadline(healthLimitMs);
      if (agent.gateway_params?.custom_llm_provider)
        return (await backends.agentHealth(agent, url, signal)).status === 'healthy';
      try {
        const way = await backends.forAgent(agent, await secrets.agent(agent.agent_id), { ...noCaller, signal });
        for (const address of cardUrls(new URL(url), 'agent-card.json')) {
          const response = await way.send(
            { method: 'GET', url: address, headers: { accept: 'application/json' } },
            signal,
          );
          if (await readCard(response, defaultA2aOptions.maxCardBytes)) return true;
        }
      } catch {
        return false; // it does not answer, or not so
      }
      return false;
    },
  };
}

/** The document of an OpenAPI service is fetched anew; whether the API behind it answers, only a call shows. */
async function documentState(deps: HealthDeps, server: McpServerRecord, signal: AbortSignal): Promise<Found> {
  const outbound = { identity: '', send: () => Promise.reject(new Error('A health check calls no operation.')) };
  const target = { ...targetOf(server, server.url ?? undefined), ...apiOf(server, 0) };
  const probed = await probeServer(deps, target, outbound);
  signal.throwIfAborted();
  if (probed.status === 'refused') return { status: 'unknown', health_check_error: null };
  if (probed.status === 'healthy' && probed.tools) deps.listed.note(server.server_id, probed.tools);
  if (probed.status === 'unhealthy') deps.listed.forget(server.server_id);
  return { status: probed.status, health_check_error: probed.error ?? null };
}

const targetOf = (server: McpServerRecord, url: string | undefined): McpTarget => ({
  server_id: server.server_id,
  name: server.alias || server.server_name || server.server_id,
  transport: server.transport,
  ...(url !== undefined && { url }),
  timeoutMs: healthLimitMs,
  maxResponseBytes: MAX_HELLO_BYTES,
});
