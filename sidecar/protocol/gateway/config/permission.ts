import * as z from 'zod';
import { described } from '../../building.ts';
import { limitShape } from '../limits.ts';
import { ObjectPermission } from '../objectPermission.ts';

/** `object_permission` in the configuration file: strict, so that a mistyped list does not allow everything. */
export const ConfigPermission = z
  .strictObject(
    described(ObjectPermission.shape, {
      mcp_servers:
        'MCP servers by name, alias or ID. [] allows none. If absent, this level does not restrict servers. "no-mcp-servers" also excludes public servers.',
      mcp_access_groups: 'Groups of MCP servers (mcp_access_groups of a server).',
      mcp_tool_permissions: 'Allowed tools by server, by the names the server uses.',
      mcp_toolsets: 'Toolsets by name.',
      agents: 'Agents by name or id. [] allows none; absent says nothing.',
      agent_access_groups: 'Groups of agents (agent_access_groups of an agent).',
    }),
  )
  .describe('Permissions. All levels (key, team, end user, agent, organization) must allow an item.');

/** What {@link limitShape} means, for people. */
export const limitTexts = {
  max_budget: 'Maximum spend in US dollars per budget_duration, or in total if budget_duration is not set.',
  soft_budget: 'US dollars. Exceeding it is reported, but calls continue.',
  budget_duration: 'Period after which max_budget resets, for example "30s", "30m", "12h", "30d", "1w" or "1mo".',
  budget_limits: 'Additional budgets, each with its own budget_duration.',
  tpm_limit: 'Tokens per minute.',
  rpm_limit: 'Requests per minute.',
  max_parallel_requests: 'Maximum number of concurrent requests.',
};
export const configLimits = described(limitShape, limitTexts);
