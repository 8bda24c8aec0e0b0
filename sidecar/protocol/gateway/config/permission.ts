import * as z from 'zod';
import { described } from '../../building.ts';
import { limitShape } from '../limits.ts';
import { ObjectPermission } from '../objectPermission.ts';

/** `object_permission` in the configuration file: strict, so that a mistyped list does not allow everything. */
export const ConfigPermission = z
  .strictObject(
    described(ObjectPermission.shape, {
      mcp_servers:
        'MCP servers by name, alias or id. [] allows none. If the field is absent, this level does not restrict servers. "no-mcp-servers" also excludes public servers.',
      mcp_access_groups: 'Access groups of MCP servers: mcp_access_groups of a server.',
      mcp_tool_permissions: 'For each server, the original names of the tools that may be called.',
      mcp_toolsets: 'Toolsets by name.',
      agents: 'Agents by name or id. [] allows none. If the field is absent, this level does not restrict agents.',
      agent_access_groups: 'Access groups of agents: agent_access_groups of an agent.',
    }),
  )
  .describe('What may be used. Every level (key, team, end user, agent and organization) must allow it.');

/** What {@link limitShape} means, for people. */
export const limitTexts = {
  max_budget: 'Maximum spend in US dollars: in total, or per budget_duration.',
  soft_budget: 'Spend in US dollars that is reported when exceeded. Calls are not refused.',
  budget_duration: 'Duration after which max_budget resets, for example "30s", "30m", "12h", "30d", "1w" or "1mo".',
  budget_limits: 'Several budgets that apply at the same time.',
  tpm_limit: 'Maximum number of tokens per minute.',
  rpm_limit: 'Maximum number of requests per minute.',
  max_parallel_requests: 'Maximum number of simultaneous requests.',
};
export const configLimits = described(limitShape, limitTexts);
