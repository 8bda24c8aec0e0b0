import * as z from 'zod';
import { described } from '../../building.ts';
import { limitShape } from '../limits.ts';
import { ObjectPermission } from '../objectPermission.ts';

/** `object_permission` in the configuration file: strict, so that a mistyped list does not allow everything. */
export const ConfigPermission = z
  .strictObject(
    described(ObjectPermission.shape, {
      mcp_servers:
        'MCP servers by name, alias or id. [] allows none; absent says nothing; "no-mcp-servers" shuts out public ones too.',
      mcp_access_groups: 'Groups of MCP servers (mcp_access_groups of a server).',
      mcp_tool_permissions: 'Server to the tools of it that may be called, by their own names.',
      mcp_toolsets: 'Toolsets by name.',
      agents: 'Agents by name or id. [] allows none; absent says nothing.',
      agent_access_groups: 'Groups of agents (agent_access_groups of an agent).',
    }),
  )
  .describe('What may be used. All levels (key, team, end user, agent, organisation) have to allow a thing.');

/** What {@link limitShape} means, for people. */
export const limitTexts = {
  max_budget: 'US dollars, for ever or for each budget_duration.',
  soft_budget: 'US dollars. Exceeding it is reported, but calls continue.',
  budget_duration: 'How long max_budget lasts before it begins anew: "30s", "30m", "12h", "30d", "1w" or "1mo".',
  budget_limits: 'Several budgets at the same time, each with its own budget_duration.',
  tpm_limit: 'Tokens a minute.',
  rpm_limit: 'Requests a minute.',
  max_parallel_requests: 'Requests that may run at the same time.',
};
export const configLimits = described(limitShape, limitTexts);
