import { type Places, placesWhere } from './places.ts';
import { isPattern, prefixOf } from './statement.ts';

/** What access resolution reads of a registered MCP server; the record itself fits. */
export interface ServerFacts {
  readonly server_id: string;
  readonly server_name?: string | null | undefined;
  readonly alias?: string | null | undefined;
  readonly mcp_access_groups?: readonly string[] | null | undefined;
  /** Public: every key may use it, as far as no ceiling forbids it. */
  readonly allow_all_keys?: boolean | null | undefined;
  readonly allowed_tools?: readonly string[] | null | undefined;
  readonly disallowed_tools?: readonly string[] | null | undefined;
}
export interface ToolsetFacts {
  readonly toolset_id: string;
  readonly toolset_name: string;
  readonly tools: readonly { readonly server_id: string; readonly tool_name: string }[];
}
export interface AgentFacts {
  readonly agent_id: string;
  readonly agent_name: string;
  readonly agent_access_groups?: readonly string[] | null | undefined;
}

export interface ModelFacts {
  /** The name in calls and permissions. Several records can share it. */
  readonly model_name: string;
}

/** A unified access group. A list that is absent or null says nothing about its kind. */
export interface AccessGroupFacts {
  readonly access_group_id: string;
  readonly access_group_name: string;
  readonly access_mcp_server_ids?: readonly string[] | null | undefined;
  readonly access_agent_ids?: readonly string[] | null | undefined;
  readonly access_model_names?: readonly string[] | null | undefined;
}

/**
 * The cloud-agents service, as permissions see it: one more agent, granted and narrowed like those that are registered. An
 * agent that is registered under this name takes it, and the service is then granted by nothing but the bypass.
 */
export const cloudAgentsService: AgentFacts = { agent_id: 'all-cloud-agents', agent_name: 'all-cloud-agents' };

/** Everything that is registered, indexed once for as long as it stays the same. */
export class Catalogue {
  readonly servers: ReadonlyMap<string, ServerFacts>;
  /** Ids of the servers: what is said of many of them is kept by their places here. */
  readonly serverOrder: readonly string[];
  /** The same as a set, for every caller who may use them all. */
  readonly allServers: ReadonlySet<string>;
  readonly agents: ReadonlyMap<string, AgentFacts>;
  /** Names of the models, without patterns. */
  readonly models: ReadonlySet<string>;
  /** Names of models that are patterns, the longest first. */
  readonly modelPatterns: readonly string[];
  readonly publicServers: ReadonlySet<string>;
  /** By their places in {@link serverOrder}. */
  readonly publicPlaces: Places;
  readonly allPlaces: Places;
  /** Whether the name of the service is its own. */
  readonly hasCloudAgents: boolean;
  readonly #accessGroups: ReadonlyMap<string, AccessGroupFacts>;
  readonly #toolsets: ReadonlyMap<string, ToolsetFacts>;
  readonly #places: ReadonlyMap<string, number>;
  readonly #serverNames: Index;
  readonly #serverGroups: Index;
  readonly #agentNames: Index;
  readonly #agentGroups: Index;

  constructor(
    servers: readonly ServerFacts[],
    agents: readonly AgentFacts[] = [],
    toolsets: readonly ToolsetFacts[] = [],
    accessGroups: readonly AccessGroupFacts[] = [],
    models: readonly ModelFacts[] = [],
  ) {
    this.servers = new Map(servers.map((it) => [it.server_id, it]));
    this.serverOrder = [...this.servers.keys()];
    this.allServers = new Set(this.serverOrder);
    this.#places = new Map(this.serverOrder.map((id, at) => [id, at]));
    this.agents = new Map(agents.map((it) => [it.agent_id, it]));
    const modelNames = [...new Set(models.map((it) => it.model_name))];
    this.models = new Set(modelNames.filter((it) => !isPattern(it)));
    this.modelPatterns = modelNames.filter(isPattern).toSorted((one, other) => other.length - one.length);
    this.hasCloudAgents = this.agents.get(cloudAgentsService.agent_id) === cloudAgentsService;
    this.publicServers = new Set(servers.filter((it) => it.allow_all_keys === true).map((it) => it.server_id));
    this.publicPlaces = this.placesOf(this.publicServers);
    this.allPlaces = this.placesOf(this.allServers);
    this.#accessGroups = new Map(accessGroups.map((it) => [it.access_group_id, it]));
    this.#toolsets = new Map(
      toolsets.flatMap((it) => [it.toolset_name, it.toolset_id].map((name) => [name, it] as const)),
    );
    this.#serverNames = index(
      servers,
      (it) => [it.alias, it.server_name],
      (it) => it.server_id,
    );
    this.#serverGroups = index(
      servers,
      (it) => it.mcp_access_groups ?? [],
      (it) => it.server_id,
    );
    this.#agentNames = index(
      agents,
      (it) => [it.agent_name],
      (it) => it.agent_id,
    );
    this.#agentGroups = index(
      agents,
      (it) => it.agent_access_groups ?? [],
      (it) => it.agent_id,
    );
  }

  placesOf(servers: ReadonlySet<string>): Places {
    return placesWhere(this.serverOrder.length, (at) => servers.has(this.serverOrder[at] ?? ''));
  }
  /** Where a server stands in {@link serverOrder}. */
  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }
  /** Ids of what a list may call by id, alias or name; an id wins over a name that looks like it. Unknown: none. */
  serverIds(name: string): readonly string[] {
    return this.servers.has(name) ? [name] : (this.#serverNames.get(name) ?? []);
  }
  agentIds(name: string): readonly string[] {
    return this.agents.has(name) ? [name] : (this.#agentNames.get(name) ?? []);
  }
  /** The registered name that serves a model: its own, or else the longest pattern that matches it. */
  modelNameFor(name: string): string | undefined {
    if (this.models.has(name)) return name;
    // A pattern itself cannot be called.
    return isPattern(name) ? undefined : this.modelPatterns.find((it) => name.startsWith(prefixOf(it)));
  }
  serversOfGroup(group: string): readonly string[] {
    return this.#serverGroups.get(group) ?? [];
  }
  agentsOfGroup(group: string): readonly string[] {
    return this.#agentGroups.get(group) ?? [];
  }
  /** By its id alone: a name may be given to another group later. */
  accessGroup(id: string): AccessGroupFacts | undefined {
    return this.#accessGroups.get(id);
  }
  toolset(nameOrId: string): ToolsetFacts | undefined {
    return this.#toolsets.get(nameOrId);
  }
}

type Index = ReadonlyMap<string, readonly string[]>;

function index<T>(
  items: readonly T[],
  keysOf: (item: T) => readonly (string | null | undefined)[],
  idOf: (item: T) => string,
): Index {
  const found = new Map<string, string[]>();
  for (const it of items) {
    for (const key of new Set(keysOf(it))) {
      if (!key) continue;
      const ids = found.get(key);
      if (ids) ids.push(idOf(it));
      else found.set(key, [idOf(it)]);
    }
  }
  return found;
}
