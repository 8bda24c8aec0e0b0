import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { AgentRecord } from '../../../../sidecar/protocol/gateway/agent.ts';
import { Guardrail } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import type { McpServerRecord } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import type { ModelRecord } from '../../../../sidecar/protocol/gateway/model.ts';
import { type Filling, someOf } from './plan.ts';
import { agentNames, environments, models, systems, things, verbs } from './words.ts';

export interface FilledBackends {
  readonly servers: readonly McpServerRecord[];
  readonly agents: readonly AgentRecord[];
  readonly models: readonly ModelRecord[];
}

/** Servers, toolsets, agents, models, credentials, access groups, and guardrails. Every twentieth server is dead. */
export async function fillBackends(store: GatewayStore, filling: Filling): Promise<FilledBackends> {
  const made = { servers: serversOf(filling), agents: agentsOf(filling), models: modelsOf(filling) };
  for (const it of made.servers) await store.mcp_server.insert(it);
  for (const it of made.agents) await store.agent.insert(it);
  for (const it of made.models) await store.model.insert(it);
  await fillToolsets(store, filling, made.servers);
  await fillGroups(store, filling, made);
  await fillGuardrails(store, filling);
  return made;
}

const stamps = ({ ago }: Filling, days: number) => ({ created_at: ago(days), updated_at: ago(days) });

/** The tools of every server. @param path where a server was asked: below `/mcp/`, its name */
export function toolsAt(path: string): readonly object[] {
  const name = /^\/mcp\/([^/?]+)/.exec(path)?.[1] ?? '';
  return toolNamesOf(name).map((tool) => ({
    name: tool,
    description: `${tool.replaceAll('_', ' ')} in ${name}. Answers with at most 50 entries, newest first.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words to look for' },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
      },
      required: ['query'],
    },
  }));
}

/** Between 3 and 24 of them. */
export function toolNamesOf(server: string): readonly string[] {
  const size = 3 + (Buffer.from(server).reduce((sum, it) => sum + it, 0) % 22);
  return Array.from(
    { length: size },
    (_, at) => `${verbs[at % verbs.length]}_${things[(at * 3) % things.length]}`,
  ).filter((it, at, all) => all.indexOf(it) === at);
}

function serversOf(filling: Filling): readonly McpServerRecord[] {
  const { random, backendUrl } = filling;
  return Array.from({ length: filling.servers }, (_, at) => {
    const again = Math.floor(at / (systems.length * environments.length));
    const environment = environments[Math.floor(at / systems.length) % environments.length];
    const alias = `${systems[at % systems.length]}${environment}${again === 0 ? '' : `-${again + 1}`}`;
    return {
      server_id: alias,
      alias,
      server_name: alias,
      description: `${alias} for every team: search, read, and write. Asks for confirmation before it deletes anything.`,
      transport: 'http',
      // Port 9 of loopback answers nobody.
      url: at % 20 === 19 ? `http://127.0.0.1:9/mcp/${alias}` : `${backendUrl}/mcp/${alias}`,
      allow_private_network: true,
      auth_type: 'none',
      listed_in_catalog: at % 3 > 0,
      owners: [`${random.pick(systems)}-owners@example.com`],
      mcp_access_groups: at % 4 === 0 ? ['engineering'] : [],
      ...(at % 5 === 0 && { disallowed_tools: ['delete_page'] }),
      ...(at % 3 === 0 && { mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.002 } } }),
      tags: at % 2 === 0 ? ['internal'] : [],
      approval_status: at % 30 === 29 ? 'pending_review' : 'active',
      ...stamps(filling, 160 - at),
    } as McpServerRecord;
  });
}

function agentsOf(filling: Filling): readonly AgentRecord[] {
  const count = Math.max(1, Math.ceil(filling.servers / 3));
  return Array.from({ length: count }, (_, at) => {
    const again = Math.floor(at / agentNames.length);
    const agent_name = `${agentNames[at % agentNames.length]}${again === 0 ? '' : `-${again + 1}`}`;
    return {
      agent_id: `5f0c6a1e-0000-4000-8000-${String(at).padStart(12, '0')}`,
      agent_name,
      agent_card_params: {
        name: agent_name,
        url: `${filling.backendUrl}/agent/${agent_name}`,
        description: 'Reads what it is sent, and answers with a document.',
      },
      gateway_params: { allow_private_network: true, ...(at % 2 === 0 && { cost_per_query: 0.05 }) },
      ...(at % 3 === 0 && { max_budget: 100, budget_duration: '30d' }),
      ...stamps(filling, 100 - (at % 90)),
    };
  });
}

function modelsOf(filling: Filling): readonly ModelRecord[] {
  return [0, 1].flatMap((round) =>
    models.map(([model_name, model], at) => ({
      model_id: `${model_name}-${round + 1}`,
      model_name,
      gateway_params: {
        model,
        api_base: round === 0 ? null : `${filling.backendUrl}/v1`,
        allow_private_network: true,
        input_cost_per_token: 0.000_001_25,
        output_cost_per_token: 0.000_01,
        ...(at % 2 === 0 && { rpm: 600, tpm: 2_000_000 }),
      },
      ...stamps(filling, 60 - at),
    })),
  );
}

async function fillToolsets(store: GatewayStore, filling: Filling, servers: readonly McpServerRecord[]): Promise<void> {
  for (let at = 0; at < Math.max(1, Math.ceil(filling.servers / 5)); at += 1)
    await store.toolset.insert({
      toolset_id: `toolset-${at}`,
      toolset_name: `${agentNames[at % agentNames.length]}-tools${at < agentNames.length ? '' : `-${at}`}`,
      description: 'What this job needs, and nothing else',
      tools: someOf(filling.random, servers, 3).flatMap(({ server_id }) =>
        toolNamesOf(server_id)
          .slice(0, 3)
          .map((tool_name) => ({ server_id, tool_name })),
      ),
      ...stamps(filling, 50 - at),
    });
}

async function fillGroups(store: GatewayStore, filling: Filling, made: FilledBackends): Promise<void> {
  for (const access_group_name of ['engineering', 'support', 'analytics'])
    await store.access_group.insert({
      access_group_id: access_group_name,
      access_group_name,
      access_mcp_server_ids: someOf(filling.random, made.servers, 6).map((it) => it.server_id),
      access_agent_ids: someOf(filling.random, made.agents, 2).map((it) => it.agent_name),
      access_model_names: someOf(filling.random, models, 2).map(([name]) => name),
      ...stamps(filling, 90),
    });
  for (const [credential_name, custom_llm_provider] of [
    ['openai-eu', 'openai'],
    ['anthropic-research', 'anthropic'],
  ] as const)
    await store.credential.insert({
      credential_name,
      credential_info: { custom_llm_provider, description: 'Rotated each quarter' },
      value_names: ['api_key'],
      ...stamps(filling, 80),
    });
}

async function fillGuardrails(store: GatewayStore, filling: Filling): Promise<void> {
  const all = [
    { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true },
    { guardrail: 'pii_redaction', mode: 'pre_mcp_call' },
    { guardrail: 'argument_schema', mode: 'during_mcp_call' },
    { guardrail: 'http', mode: 'pre_mcp_call', url: `${filling.backendUrl}/guard`, allow_private_network: true },
  ];
  for (const [position, gateway_params] of all.entries()) {
    const guardrail_name = ['no-secrets', 'no-personal-data', 'exact-arguments', 'data-loss-prevention'][position];
    await store.guardrail.insert({
      ...Guardrail.parse({ guardrail_name, gateway_params }),
      position,
      ...stamps(filling, 70),
    });
  }
}
