import * as z from 'zod';
import { described } from '../../building.ts';
import { toolsetShape } from '../mcpServer.ts';
import { organizationShape, teamShape } from '../people.ts';
import { Id } from '../stamps.ts';
import { ConfigPermission, configLimits, limitTexts } from './permission.ts';

const permission = { object_permission: ConfigPermission.nullish() };
const sharedTexts = {
  ...limitTexts,
  budget_id: 'Name of a budget in this file or the API. Its limits apply in addition.',
  models: 'Models that callers can request.',
  object_permission: 'Permissions.',
  tags: 'Labels for the spend log.',
  metadata: 'Custom data.',
  blocked: 'If true, every call is refused.',
};

/** A team in the configuration file; its name is the member's. */
export const ConfigTeam = z.strictObject(
  described(
    { team_id: Id.nullish(), ...teamShape, ...permission },
    {
      ...sharedTexts,
      team_id: 'Id in the API. Default: the name of this entry.',
      team_alias: 'Display name. Default: the name of this entry.',
      organization_id: 'Organization whose limits and permissions are upper limits for the team.',
      members_with_roles: 'Members of the team. max_budget_in_team gives a member a personal budget in the team.',
      team_member_budget:
        'US dollars that each member can spend in the team, unless max_budget_in_team is set for the member.',
      team_member_budget_duration: "Period after which a member's budget resets, for example 30s, 30m, 24h, 7d or 1mo.",
      team_member_rpm_limit: 'Requests per minute for each member.',
      team_member_tpm_limit: 'Tokens per minute for each member.',
      access_group_ids:
        'IDs of access groups created in the API. Their servers and agents can also be used. [] allows none.',
      team_member_permissions: "Key routes that members who are not team admins can use for the team's keys.",
      guardrails: 'Guardrails that apply to every call with a key of the team.',
    },
  ),
);
export type ConfigTeam = z.infer<typeof ConfigTeam>;

/** An organisation in the configuration file; its name is the member's. */
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
      description: 'Shown to people.',
      tools: 'Tools, each with server_id and tool_name (the name the server uses).',
    },
  ),
);
export type ConfigToolset = z.infer<typeof ConfigToolset>;
