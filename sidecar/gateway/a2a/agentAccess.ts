import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import { type CallContext, userOf } from '../auth/caller.ts';
import type { BackendSecretsCache } from '../auth/credentialStores.ts';
import type { Directory } from '../auth/directory.ts';
import type { Permissions } from '../auth/permissions.ts';
import type { Backends } from '../backends/backends.ts';
import { chooseBackend } from '../backends/choose.ts';
import { type A2aOptions, defaultA2aOptions } from './a2aDeps.ts';

export interface AgentAccessDeps {
  readonly directory: Directory;
  readonly permissions: Permissions;
  readonly backends: Backends;
  readonly secrets: BackendSecretsCache;
}

/** The registered address of an agent. A card that the agent itself serves never changes it. */
export const addressOf = ({ agent_card_params }: AgentRecord): string | undefined => {
  const { url } = agent_card_params;
  return typeof url === 'string' && url !== '' ? url : undefined;
};

/** What the A2A surface asks of the rest of the gateway about agents. */
export function agentAccess({ directory, permissions, backends, secrets }: AgentAccessDeps) {
  return {
    async agent(context: CallContext, nameOrId: string) {
      const access = await permissions.of(context.caller);
      const { agents, catalogue } = await directory.registered();
      const ids = catalogue.agentIds(nameOrId);
      const found = agents
        .filter((it) => ids.includes(it.agent_id) && it.gateway_params?.enabled !== false)
        .map((agent) => ({ agent, id: agent.agent_id, tags: agent.tags }));
      const chosen = found.length > 1 ? chooseBackend(found, context.caller.tags, backends.pool) : found[0];
      if (!chosen) return undefined;
      const { agent } = chosen;
      return { agent, url: addressOf(agent), allowed: access.agents.has(agent.agent_id) };
    },
    async outbound(agent: AgentRecord, context: CallContext, added: Readonly<Record<string, string>>) {
      const { aws_region_name, aws_service_name, aws_role_name, aws_session_name } = agent.gateway_params ?? {};
      const open = { aws_region_name, aws_service_name, aws_role_name, aws_session_name };
      const kept = { ...open, ...(await secrets.agent(agent.agent_id)) };
      const { signal, trace } = context;
      const all = trace ? { ...added, ...trace.headers() } : added;
      return backends.forAgent(agent, kept, { inbound: context, user: userOf(context), signal, added: all });
    },
    callingAgentRequiresTrace: ({ caller }: CallContext) =>
      caller.owner?.gateway_params?.require_trace_id_on_calls_by_agent === true,
  };
}

/** How many times as long as an answer a stream may take to begin. */
const STREAM_START = defaultA2aOptions.streamStartMs / defaultA2aOptions.timeoutMs;

/** The A2A surface keeps the limits that are configured for all. */
export function a2aOptions({
  maxBodyBytes,
  maxResponseBytes,
  timeoutMs,
}: Pick<A2aOptions, 'maxBodyBytes' | 'maxResponseBytes' | 'timeoutMs'>): A2aOptions {
  const streamStartMs = timeoutMs * STREAM_START;
  return { ...defaultA2aOptions, maxBodyBytes, maxResponseBytes, timeoutMs, streamStartMs };
}
