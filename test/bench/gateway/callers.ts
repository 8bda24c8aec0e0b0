import { ADMIN_KEY, type BenchGateway, withKey } from './benchGateway.ts';
import type { Target } from './target.ts';

/** The configuration that the callers below are for. @param backend address of the server of the bench */
export const benchConfig = (backend: string) => ({
  mcp_servers: {
    bench: {
      url: `${backend}/mcp`,
      allow_private_network: true,
      mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.000_001 } },
    },
  },
  agents: {
    bench: {
      agent_card_params: { name: 'bench', url: `${backend}/agent` },
      gateway_params: { allow_private_network: true },
    },
  },
});

const limits = { max_budget: 1e6, budget_duration: '30d' };
const tools = { mcp_tool_permissions: { bench: ['echo', 'other', 'third'] } };
const permission = { object_permission: { mcp_servers: ['bench'], ...tools, agents: ['bench'] } };

/** Who calls, from one for whom there is little to find out to one with all there is. Each call leaves its record. */
export async function callersOf({ ask, url }: BenchGateway): Promise<readonly Target[]> {
  const organization = await ask<{ organization_id: string }>('POST', '/organization/new', {
    organization_alias: 'bench',
    ...limits,
    ...permission,
  });
  const team = await ask<{ team_id: string }>('POST', '/team/new', {
    team_alias: 'bench',
    organization_id: organization.organization_id,
    ...limits,
    ...permission,
  });
  await ask('POST', '/customer/new', { user_id: 'customer', max_budget: 1e6, ...permission });
  const { key: plain } = await ask<{ key: string }>('POST', '/key/generate', {
    object_permission: { mcp_servers: ['bench'] },
  });
  const { key: full } = await ask<{ key: string }>('POST', '/key/generate', {
    team_id: team.team_id,
    ...limits,
    ...permission,
  });
  const target = (name: string, headers: Record<string, string>): Target => ({
    name,
    url: `${url}/bench/mcp`,
    road: 'streamable',
    headers,
    tool: 'echo',
  });
  return [
    target('gateway, administrator', withKey(ADMIN_KEY)),
    target('gateway, key only', withKey(plain)),
    target('gateway, full resolution', { ...withKey(full), 'x-gateway-end-user-id': 'customer' }),
  ];
}
