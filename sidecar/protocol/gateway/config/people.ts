import * as z from 'zod';
import { described } from '../../building.ts';
import { toolsetShape } from '../mcpServer.ts';
import { organizationShape, teamShape } from '../people.ts';
import { Id } from '../stamps.ts';
import { ConfigPermission, configLimits, limitTexts } from './permission.ts';

const permission = { object_permission: ConfigPermission.nullish() };
const sharedTexts = {
  ...limitTexts,
  budget_id: 'Id of a budget in this file or the API. Its limits apply in addition.',
  models: 'Models that may be granted to keys.',
  object_permission: 'MCP servers, tools and agents that may be used.',
  tags: 'Labels in the spend log.',
  metadata: 'Any data to store with this entry.',
  blocked: 'Set it to true to refuse every call.',
};

/** A team in the configuration file; its name is the member's. */
export const ConfigTeam = z.strictObject(
  described(
    { team_id: Id.nullish(), ...teamShape, ...permission },
    {
      ...sharedTexts,
      team_id: 'Id in the API. Default: the name of this entry.',
      team_alias: 'Display name. Default: the name of this entry.',
      organization_id: 'Id of the organization of the team. Its limits and permissions also apply to the team.',
      members_with_roles: 'Members of the team.',
      team_member_budget: 'Budget of each member in the team, in US dollars, unless the member has max_budget_in_team.',
      team_member_budget_duration:
        'Duration after which the budget of a member resets, for example "30s", "30m", "12h", "30d", "1w" or "1mo".',
      team_member_rpm_limit: 'Maximum number of requests per minute for each member.',
      team_member_tpm_limit: 'Maximum number of tokens per minute for each member.',
      access_group_ids: 'Ids of access groups of the API. Their servers and agents may also be used. [] allows none.',
      team_member_permissions: 'Routes for keys that members with role user may call for keys of the team.',
      guardrails: 'Names of the guardrails that check every call with a key of the team.',
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
      organization_id: 'Id in the API. Default: the name of this entry.',
      organization_alias: 'Display name. Default: the name of this entry.',
      members: 'Members of the organization. An org_admin manages its teams.',
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
      toolset_id: 'Id in the API. Default: the name of this entry.',
      description: 'Description for people.',
      tools: 'Tools of the toolset.',
    },
  ),
);
export type ConfigToolset = z.infer<typeof ConfigToolset>;
