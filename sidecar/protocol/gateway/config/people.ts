import * as z from 'zod';
import { described } from '../../building.ts';
import { toolsetShape } from '../mcpServer.ts';
import { organizationShape, teamShape } from '../people.ts';
import { Id } from '../stamps.ts';
import { ConfigPermission, configLimits, limitTexts } from './permission.ts';

const permission = { object_permission: ConfigPermission.nullish() };
const sharedTexts = {
  ...limitTexts,
  budget_id: 'A budget of this file or of the API, by name: its limits hold besides.',
  models: 'Models that may be named.',
  object_permission: 'What may be used.',
  tags: 'Labels for the spend log.',
  metadata: 'Whatever you keep with it.',
  blocked: 'true refuses every call.',
};

/** A team in the configuration file; its name is the member's. */
export const ConfigTeam = z.strictObject(
  described(
    { team_id: Id.nullish(), ...teamShape, ...permission },
    {
      ...sharedTexts,
      team_id: 'Id in the API. Default: the name of this entry.',
      team_alias: 'Name towards people. Default: the name of this entry.',
      organization_id: 'The organisation whose limits and permissions are a ceiling.',
      members_with_roles: 'People of the team, each with a budget of their own in it where max_budget_in_team says so.',
      team_member_budget: 'US dollars that each member may spend in the team, where nothing else is said of them.',
      team_member_budget_duration: 'After this time the budget of a member begins anew: 30s, 30m, 24h, 7d, 1mo.',
      team_member_rpm_limit: 'Requests a minute of each member.',
      team_member_tpm_limit: 'Tokens a minute of each member.',
      access_group_ids: 'Access groups of the API, by id: their servers and agents may be used too. [] allows none.',
      team_member_permissions: 'What members may do with keys of the team who do not lead it, by the routes for keys.',
      guardrails: 'Guardrails that look at every call with a key of the team.',
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
      organization_alias: 'Name towards people. Default: the name of this entry.',
      members: 'People of the organisation; an org_admin runs its teams.',
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
      description: 'For people.',
      tools: 'Tools as { "server_id": id of a server, "tool_name": its own name for the tool }.',
    },
  ),
);
export type ConfigToolset = z.infer<typeof ConfigToolset>;
