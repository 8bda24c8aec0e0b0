import type { McpServerAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../shared/l10n.ts';
import { ApiError } from '../api.ts';
import { pickOf } from '../form/drafts.ts';
import type { Routes } from '../gateway.ts';
import type { Option } from '../kit/select.ts';

/** What a form offers to choose from. Empty where the caller may not see it. */
export interface Lookups {
  readonly servers: readonly Option[];
  /** The tools that each server listed last, and none of its tools, grouped by server. */
  readonly serverTools: readonly Option[];
  readonly accessGroups: readonly Option[];
  readonly agents: readonly Option[];
  readonly agentGroups: readonly Option[];
  /** By name. */
  readonly models: readonly Option[];
  readonly teams: readonly Option[];
  readonly organizations: readonly Option[];
  readonly budgets: readonly Option[];
  readonly guardrails: readonly Option[];
  readonly toolsets: readonly Option[];
  readonly users: readonly Option[];
}

export async function readLookups(routes: Routes): Promise<Lookups> {
  const [servers, agents, models, teams, organizations, budgets, guardrails, toolsets, users] = await Promise.all([
    visible(routes.servers()),
    visible(routes.agents()),
    visible(routes.models()),
    visible(routes.teams()),
    visible(routes.organizations()),
    visible(routes.budgets()),
    visible(routes.guardrails().then((it) => it.guardrails)),
    visible(routes.toolsets()),
    visible(routes.users({ page_size: 1_000 }).then((it) => it.rows)),
  ]);
  const groups = new Set(servers.flatMap((it) => it.mcp_access_groups ?? []));
  const agentGroups = new Set(agents.flatMap((it) => it.agent_access_groups ?? []));
  return {
    servers: servers.map((it) => option(it.server_id, it.alias ?? it.server_name)),
    serverTools: servers.flatMap(toolsOf),
    agentGroups: [...agentGroups].toSorted().map((it) => option(it)),
    accessGroups: [...groups].toSorted().map((it) => option(it)),
    agents: agents.map((it) => option(it.agent_id, it.agent_name)),
    models: [...new Set(models.map((it) => it.model_name))].toSorted().map((it) => option(it)),
    teams: teams.map((it) => option(it.team_id, it.team_alias)),
    organizations: organizations.map((it) => option(it.organization_id, it.organization_alias)),
    budgets: budgets.map((it) => option(it.budget_id)),
    guardrails: guardrails.map((it) => option(it.guardrail_name)),
    toolsets: toolsets.map((it) => option(it.toolset_name)),
    users: users.map((it) => option(it.user_id, it.user_alias || it.user_email)),
  };
}

/** An empty list for what the caller may not see; anything else that goes wrong is said. */
export async function visible<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof ApiError && (thrown.status === 403 || thrown.status === 404)) return [];
    throw thrown;
  }
}

/** What teams are called, by their IDs: those that the caller may see. */
export async function readTeamNames(routes: Routes, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const teams = await visible(routes.teams(signal));
  return new Map(teams.map((it) => [it.team_id, it.team_alias || it.team_id]));
}

function toolsOf({ server_id, alias, server_name, tools }: McpServerAnswer): readonly Option[] {
  const group = alias || server_name || server_id;
  const none = { value: pickOf(server_id, ''), label: t('None of its tools'), group };
  return [none, ...(tools ?? []).map((it) => ({ value: pickOf(server_id, it), label: it, group }))];
}

const option = (value: string, label?: string | null): Option => ({ value, label: label || value });
