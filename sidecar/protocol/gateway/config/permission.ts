import * as z from 'zod';
import { described } from '../../building.ts';
import { limitShape } from '../limits.ts';
import { ObjectPermission } from '../objectPermission.ts';

/** `object_permission` in the configuration file: strict, so that a mistyped list does not allow everything. */
export const ConfigPermission = z
  .strictObject(
    described(ObjectPermission.shape, {
      mcp_servers:
        'MCP servers by name, alias, or ID. [] allows none. If the field is absent, this level does not restrict servers. "no-mcp-servers" also excludes public servers.',
      mcp_access_groups: 'MCP server access groups, as listed in the mcp_access_groups field of each server.',
      mcp_tool_permissions: 'For each server, the original names of the tools that may be called.',
      mcp_toolsets: 'Toolsets by name.',
      agents: 'Agents by name or ID. [] allows none. If the field is absent, this level does not restrict agents.',
      agent_access_groups: 'Agent access groups, as listed in the agent_access_groups field of each agent.',
      models:
        'Models by name. [] allows none. If the field is absent, this level does not restrict models. "all-proxy-models" allows all models, "all-team-models" all models of the team, and "no-default-models" none.',
    }),
  )
  .describe(
    'MCP servers, tools, agents, and models that may be used. A call must be allowed at every level: key, team, end user, agent, and organization.',
  );

/** What {@link limitShape} means, for people. */
export const limitTexts = {
  max_budget: 'Maximum spend in US dollars, either in total or per budget_duration.',
  soft_budget:
    'Soft spend limit in US dollars. If spend exceeds it, the gateway reports this but does not reject calls.',
  budget_duration: 'Reset interval for max_budget, for example "30s", "30m", "12h", "30d", "1w", or "1mo".',
  budget_limits: 'Multiple budgets that apply at the same time.',
  tpm_limit: 'Maximum number of tokens per minute.',
  rpm_limit: 'Maximum number of requests per minute.',
  max_parallel_requests: 'Maximum number of concurrent requests.',
};
export const configLimits = described(limitShape, limitTexts);
