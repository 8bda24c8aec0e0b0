import type { Catalogue } from './catalogue.ts';
import { all, inherit, only, onlyModels, type Statement } from './statement.ts';

/** `object_permission` of a key, team, end user, agent or organisation (`gateway.permission.…`). */
export interface ObjectPermission {
  readonly mcp_servers?: readonly string[] | null | undefined;
  readonly mcp_access_groups?: readonly string[] | null | undefined;
  readonly mcp_tool_permissions?: Readonly<Record<string, readonly string[]>> | null | undefined;
  readonly mcp_toolsets?: readonly string[] | null | undefined;
  readonly agents?: readonly string[] | null | undefined;
  readonly agent_access_groups?: readonly string[] | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  /**
   * `models` beside `object_permission` on keys, teams, and organizations, and `allowed_models` of a team member; part of what the
   * level says. An empty list says nothing.
   */
  readonly model_names?: readonly string[] | null | undefined;
  /** Beside `object_permission` on keys and teams; part of what the level says. */
  readonly access_group_ids?: readonly string[] | null | undefined;
}

export interface ReadingOptions {
  /** Reads `[]` as "says nothing", as the gateway that the field knows does. Off: `[]` allows nothing. */
  readonly emptyListInherits: boolean;
}

/** Hard deny, public servers included. */
const NO_SERVERS = 'no-mcp-servers';
const ALL_SERVERS = 'all-proxy-mcpservers';
/** Everything of the team: the level itself says nothing. */
const TEAM_SERVERS = 'all-team-mcpservers';
/** The same for models, with LiteLLM's names. */
const NO_MODELS = 'no-default-models';
const ALL_MODELS = 'all-proxy-models';
const TEAM_MODELS = 'all-team-models';

/** Which servers a level speaks for. Names that nobody has expand to nothing, and the level still says "only". */
export function serverStatement(
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
): Statement {
  const servers = declared(permission?.mcp_servers, options);
  const groups = declared(permission?.mcp_access_groups, options);
  const toolsets = declared(permission?.mcp_toolsets, options);
  const tools = Object.keys(permission?.mcp_tool_permissions ?? {});
  if (servers?.includes(NO_SERVERS)) return { kind: 'only', names: new Set(), excludesPublic: true };
  if (servers?.includes(ALL_SERVERS)) return all;
  if (servers?.includes(TEAM_SERVERS)) return inherit;
  const ofToolsets = (toolsets ?? []).flatMap(
    (it) => catalogue.toolset(it)?.tools.map(({ server_id }) => server_id) ?? [],
  );
  const bundled = bundledServers(permission, catalogue, options);
  if (servers || groups || bundled)
    return only([...listed(servers, groups, catalogue), ...(bundled ?? []), ...ofToolsets]);
  // A tool that is granted implies its server; beside a list the map only narrows.
  if (tools.length > 0) return only([...tools.flatMap((it) => catalogue.serverIds(it)), ...ofToolsets]);
  return toolsets ? only(ofToolsets) : inherit;
}

/** Which tools of one server a level speaks for. A toolset adds; it never narrows a server that is granted as a whole. */
export function toolStatement(
  permission: ObjectPermission | undefined,
  serverId: string,
  catalogue: Catalogue,
  options: ReadingOptions,
): Statement {
  const named = Object.entries(permission?.mcp_tool_permissions ?? {})
    .filter(([name]) => catalogue.serverIds(name).includes(serverId))
    .map(([, tools]) => tools);
  const toolsets = (permission?.mcp_toolsets ?? [])
    .flatMap((it) => catalogue.toolset(it)?.tools ?? [])
    .filter((it) => it.server_id === serverId)
    .map((it) => it.tool_name);
  if (named.length > 0) return only([...named.flat(), ...toolsets]);
  const servers = declared(permission?.mcp_servers, options);
  const groups = declared(permission?.mcp_access_groups, options);
  const isWhole =
    servers?.includes(ALL_SERVERS) ||
    listed(servers, groups, catalogue).includes(serverId) ||
    bundledServers(permission, catalogue, options)?.includes(serverId);
  return toolsets.length === 0 || isWhole ? inherit : only(toolsets);
}

export function agentStatement(
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
): Statement {
  const agents = declared(permission?.agents, options);
  const groups = declared(permission?.agent_access_groups, options);
  const bundled = bundledAgents(permission, catalogue, options);
  if (!agents && !groups && !bundled) return inherit;
  return only([
    ...(bundled ?? []),
    ...(agents ?? []).flatMap((it) => catalogue.agentIds(it)),
    ...(groups ?? []).flatMap((it) => catalogue.agentsOfGroup(it)),
  ]);
}

/** Which models a level speaks for, by name. A name takes effect when a model with it is registered. */
export function modelStatement(
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
): Statement {
  const plain = permission?.model_names?.length ? permission.model_names : undefined;
  const own = declared(permission?.models, options);
  const bundled = bundledModels(permission, catalogue, options);
  if (!plain && !own && !bundled) return inherit;
  const names = [...(plain ?? []), ...(own ?? []), ...(bundled ?? [])];
  if (names.includes(NO_MODELS)) return only([]);
  if (names.includes(ALL_MODELS)) return all;
  return names.includes(TEAM_MODELS) ? inherit : onlyModels(names);
}

/** Servers, agents and models of the level's access groups; undefined where those say nothing about the kind. */
export const bundledServers = (
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
): readonly string[] | undefined =>
  bundled(permission, catalogue, options, 'access_mcp_server_ids')?.flatMap((it) => catalogue.serverIds(it));
export const bundledAgents = (
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
): readonly string[] | undefined =>
  bundled(permission, catalogue, options, 'access_agent_ids')?.flatMap((it) => catalogue.agentIds(it));

export const bundledModels = (
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
): readonly string[] | undefined => bundled(permission, catalogue, options, 'access_model_names');

/** A group that nobody has could have said anything: it expands to nothing, and the level still says "only". */
function bundled(
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
  kind: 'access_mcp_server_ids' | 'access_agent_ids' | 'access_model_names',
): readonly string[] | undefined {
  const ids = declared(permission?.access_group_ids, options);
  const groups = ids?.map((it) => catalogue.accessGroup(it));
  const lists = groups?.map((it) => (it ? declared(it[kind], options) : []));
  if (!lists || (lists.length > 0 && lists.every((it) => it === undefined))) return undefined;
  return lists.flatMap((it) => it ?? []);
}

function listed(
  servers: readonly string[] | undefined,
  groups: readonly string[] | undefined,
  catalogue: Catalogue,
): readonly string[] {
  return [
    ...(servers ?? []).flatMap((it) => catalogue.serverIds(it)),
    ...(groups ?? []).flatMap((it) => catalogue.serversOfGroup(it)),
  ];
}

function declared(
  list: readonly string[] | null | undefined,
  { emptyListInherits }: ReadingOptions,
): readonly string[] | undefined {
  if (list === null || list === undefined) return undefined;
  return list.length === 0 && emptyListInherits ? undefined : list;
}
