import * as z from 'zod';
import { described } from '../../building.ts';
import { toolsetShape } from '../mcpServer.ts';
import { organizationShape, teamShape } from '../people.ts';
import { Id } from '../stamps.ts';
import { ConfigPermission, configLimits, limitTexts } from './permission.ts';

const permission = { object_permission: ConfigPermission.nullish() };
const sharedTexts = {
  ...limitTexts,
  budget_id: 'ID of a budget defined in this file or through the API. Its limits also apply.',
  models: 'Models that may be granted to keys.',
  object_permission: 'MCP servers, tools, and agents that may be used.',
  tags: 'Labels to record in the spend log.',
  metadata: 'Any data to store with this entry.',
  blocked: 'Set to true to reject every call.',
};

/** A team in the configuration file; its name is the member's. */
export const ConfigTeam = z.strictObject(
  described(
    { team_id: Id.nullish(), ...teamShape, ...permission },
    {
      ...sharedTexts,
      team_id: 'ID in the API. Default: the name of this entry.',
      team_alias: 'Display name. Default: the name of this entry.',
      organization_id:
        'ID of the organization that the team belongs to. Its limits and permissions also apply to the team.',
      members_with_roles: 'Team members and their roles.',
      team_member_budget:
        "Each member's budget in the team, in US dollars, unless max_budget_in_team is set for the member.",
      team_member_budget_duration:
        'Reset interval for member budgets, for example "30s", "30m", "12h", "30d", "1w", or "1mo".',
      team_member_rpm_limit: 'Maximum number of requests per minute for each member.',
      team_member_tpm_limit: 'Maximum number of tokens per minute for each member.',
      access_group_ids:
        "IDs of access groups created through the API. The team may also use these groups' servers and agents. [] allows none.",
      team_member_permissions: 'Key management routes that members with the user role may call for team keys.',
      guardrails: 'Names of the guardrails that check every call made with a team key.',
      no_content_log: 'Never store requests and responses of calls with team keys, whatever activity.content says.',
      allowed_ips:
        'IP addresses and networks, such as 10.0.0.0/8, that calls for the team may come from. If a key also has a list, both apply. Default: any.',
    },
  ),
);
export type ConfigTeam = z.infer<typeof ConfigTeam>;

/** An organization in the configuration file; its name is the member's. */
export const ConfigOrganization = z.strictObject(
  described(
    { organization_id: Id.nullish(), ...organizationShape, ...permission },
    {
      ...sharedTexts,
      organization_id: 'ID in the API. Default: the name of this entry.',
      organization_alias: 'Display name. Default: the name of this entry.',
      members: "Organization members. An org_admin can manage the organization's teams.",
    },
  ),
);
export type ConfigOrganization = z.infer<typeof ConfigOrganization>;

/** Named limits that others refer to by `budget_id`. */
export const ConfigBudget = z.strictObject(configLimits);
export type ConfigBudget = z.infer<typeof ConfigBudget>;

/** Tools of several servers behind one address, `/toolset/{name}/mcp`. */
export const ConfigToolset = z.strictObject(
  described(
    { toolset_id: Id.nullish(), description: toolsetShape.description, tools: toolsetShape.tools },
    {
      toolset_id: 'ID in the API. Default: the name of this entry.',
      description: 'Human-readable description.',
      tools: 'Tools in the toolset.',
    },
  ),
);
export type ConfigToolset = z.infer<typeof ConfigToolset>;
