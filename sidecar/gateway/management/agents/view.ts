import * as z from 'zod';
import { AgentRecord, GatewayParams } from '../../../protocol/gateway/agent.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { MASK, withoutSecrets } from '../mask.ts';
import type { Call } from '../route.ts';
import { isViewer } from '../standing.ts';
import { readAgentSecrets } from './save.ts';

export const AgentView = AgentRecord.extend({
  /** Secrets that are kept show as ********. */
  gateway_params: GatewayParams.nullish(),
  spend: z.number().optional(),
  keys: z.array(z.object({ token: z.string(), key_alias: z.string().nullish(), key_name: z.string() })).optional(),
  search_score: z.number().optional(),
});

export const seesWhole = ({ caller }: Pick<Call, 'caller'>): boolean => caller.isAdmin || isViewer(caller);

/** For administrators everything but what is secret; for others what the agent is, reached through the gateway. */
export async function agentView(call: Call, deps: ManagementDeps, record: AgentRecord) {
  const { agent_id, agent_name, agent_card_params, agent_access_groups, created_at, updated_at } = record;
  if (!seesWhole(call)) {
    const url = `${call.context.baseUrl}/a2a/${encodeURIComponent(agent_id)}`;
    const { name, description, version, skills, capabilities, protocolVersion, ...others } = agent_card_params;
    const { defaultInputModes, defaultOutputModes, provider } = others;
    const open = { name, description, version, skills, capabilities, protocolVersion, provider };
    const card = { ...open, defaultInputModes, defaultOutputModes, url };
    return { agent_id, agent_name, agent_card_params: card, agent_access_groups, created_at, updated_at };
  }
  const held = Object.keys(await readAgentSecrets(deps, agent_id)).map((name) => [name, MASK] as const);
  const [spent, keys] = await Promise.all([deps.spending.of('agent', [record]), deps.store.key.list({ agent_id })]);
  const shown = withoutSecrets(record) as AgentRecord;
  return {
    ...shown,
    gateway_params:
      shown.gateway_params || held.length > 0 ? { ...shown.gateway_params, ...Object.fromEntries(held) } : null,
    spend: spent[0]?.spend ?? 0,
    keys: keys.items.map(({ token, key_alias, key_name }) => ({ token, key_alias, key_name })),
  };
}
