import { Fault } from '../platform/faults.ts';
import type { AgentRecord } from '../protocol/gateway/agent.ts';
import { type A2aDeps, type A2aOptions, defaultA2aOptions } from './a2a/deps.ts';
import { cloudAgentsService } from './access/catalogue.ts';
import type { BackendSecretsCache } from './backendStores.ts';
import type { Backends } from './backends/backends.ts';
import { chooseBackend } from './backends/choose.ts';
import type { StreamSend } from './backends/streamSend.ts';
import type { CallContext } from './callers/caller.ts';
import type { Directory } from './callers/directory.ts';
import type { Permissions } from './callers/permissions.ts';
import { type CloudFacts, type CloudRecording, relayCloudAgents } from './cloudagents/relay.ts';
import type { Handler } from './http/app.ts';
import type { Ledger } from './ledger.ts';
import { userOf } from './mcpServices.ts';

export interface AgentServicesParts {
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
export function agentServices({ directory, permissions, backends, secrets }: AgentServicesParts) {
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
    async outbound(
      agent: Parameters<A2aDeps['outbound']>[0],
      context: CallContext,
      added: Readonly<Record<string, string>>,
    ) {
      const record = agent as AgentRecord;
      const { aws_region_name, aws_service_name, aws_role_name, aws_session_name } = record.gateway_params ?? {};
      const open = { aws_region_name, aws_service_name, aws_role_name, aws_session_name };
      const kept = { ...open, ...(await secrets.agent(agent.agent_id)) };
      const { signal } = context;
      return backends.forAgent(record, kept, { inbound: context, user: userOf(context), signal, added });
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

export interface CloudAgentsParts {
  readonly send: StreamSend;
  /** Absent where none is configured. */
  readonly service: { readonly upstreamUrl: string; readonly prefix: string } | undefined;
  readonly credential: () => Promise<string | undefined>;
  readonly permissions: Permissions;
  readonly ledger: Ledger;
}

/** The pass-through to the cloud-agents service: one record each, without price and without an end user. */
export function cloudAgents({ ledger, service, permissions, ...parts }: CloudAgentsParts): Handler {
  return async (request, context) => {
    if (!service) {
      throw new Fault(
        'not_found',
        'This gateway relays to no cloud-agents service. Name one under cloud_agents in switchboard.jsonc.',
      );
    }
    const anonymous = { ...context, caller: { ...context.caller, endUser: undefined, endUserId: undefined } };
    const deps = {
      ...parts,
      send: ((...sent) => context.progress.during(parts.send(...sent))) as StreamSend,
      upstreamUrl: service.upstreamUrl,
      prefix: service.prefix,
      async admit() {
        // The end user narrows, and is tracked nowhere.
        if (!(await permissions.of(context.caller)).allowsCloudAgents) throw notGranted();
        const permit = await ledger.admit(anonymous, { cost: 0 });
        return () => permit.settle(0);
      },
      begin: (facts: CloudFacts): CloudRecording => {
        const recording = ledger.begin(anonymous, { ...facts });
        return {
          answered: () => recording.answered(),
          finish({ httpStatus, ...outcome }) {
            if (httpStatus !== undefined) recording.note({ metadata: { status_code: httpStatus } });
            recording.finish(outcome);
          },
        };
      },
    };
    return relayCloudAgents(deps, request, context);
  };
}

const notGranted = () =>
  new Fault(
    'forbidden',
    `The permissions of this key, its team or its end user do not include the cloud agents. Whoever manages the key adds '${cloudAgentsService.agent_name}' to 'agents' in its object_permission.`,
    { data: { field: 'object_permission.agents' } },
  );
