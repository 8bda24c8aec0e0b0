import { type Catalogue, cloudAgentsService, type ToolsetFacts } from './catalogue.ts';
import type { ObjectPermission, ReadingOptions } from './permission.ts';
import { arePlacesSame, hasPlace, noPlaces, type Places } from './places.ts';
import { type LevelReading, readingOf } from './reading.ts';
import { all, inherit, isPattern, lets, letsAll, meet, only, prefixOf, type Statement } from './statement.ts';

/** Who asks, as far as permissions go. A level that is not there says nothing. */
export interface Levels {
  readonly key?: ObjectPermission | undefined;
  readonly team?: ObjectPermission | undefined;
  readonly endUser?: ObjectPermission | undefined;
  readonly agent?: ObjectPermission | undefined;
  readonly organization?: ObjectPermission | undefined;
  /** What the team allows this member. Applies only to models. */
  readonly member?: Pick<ObjectPermission, 'model_names'> | undefined;
  /** Proxy administrators whose key says nothing may use everything; it is told as a bypass. */
  readonly isAdmin?: boolean;
}
export interface AccessOptions extends ReadingOptions {
  /** What holds where neither key nor team says anything: `none` for a team, `all` for one person's own gateway. */
  readonly defaultAccess: 'none' | 'all';
  /** Public servers are left out behind the address of a toolset. */
  readonly leavesPublicOut?: boolean;
}

/** The levels that may only narrow, in the order in which they are asked. */
export const ceilings = ['member', 'endUser', 'agent', 'organization'] as const;

/**
 * What one caller may use: lists and calls get the same answer, and so do MCP and A2A. Pure, so it may be kept for as
 * long as levels and catalogue stay the same.
 */
export class Access {
  /** An administrator's key that says nothing: no level was asked. */
  readonly isBypass: boolean;
  readonly #levels: Levels;
  readonly #catalogue: Catalogue;
  readonly #options: AccessOptions;
  readonly #granting: readonly LevelReading[];
  readonly #narrowing: readonly LevelReading[];
  /** The servers that are let through. */
  #places: Places | undefined;
  #servers: ReadonlySet<string> | undefined;
  #agents: ReadonlySet<string> | undefined;
  #models: ReadonlySet<string> | undefined;
  #modelStatement: Statement | undefined;

  constructor(levels: Levels, catalogue: Catalogue, options: AccessOptions) {
    const read = (permission: ObjectPermission | undefined) => readingOf(permission, catalogue, options);
    this.#levels = levels;
    this.#catalogue = catalogue;
    this.#options = options;
    this.#granting = [read(levels.key), read(levels.team)];
    this.#narrowing = ceilings.map((it) => read(levels[it]));
    this.isBypass = levels.isAdmin === true && read(levels.key).servers.kind === 'inherit';
  }

  /** Ids of the servers. */
  get servers(): ReadonlySet<string> {
    return (this.#servers ??= this.isBypass ? this.#catalogue.allServers : this.#serversOf(this.#catalogue));
  }
  /** Ids of the agents. */
  get agents(): ReadonlySet<string> {
    return (this.#agents ??= this.isBypass ? new Set(this.#catalogue.agents.keys()) : this.#agentsOf(this.#catalogue));
  }

  /** Names of the models that can be listed: registered ones, and names that a pattern serves and a level lists. */
  get models(): ReadonlySet<string> {
    const statement = this.modelStatement;
    const named = statement.kind === 'only' ? statement.names : [];
    return (this.#models ??= new Set([...this.#catalogue.models, ...named].filter((it) => this.allowsModel(it))));
  }
  allowsModel(name: string): boolean {
    return this.#catalogue.modelNameFor(name) !== undefined && lets(this.modelStatement, name);
  }
  /** Whether a record can be used. @param registered its name; for a pattern, one allowed name is enough */
  allowsSomeOf(registered: string): boolean {
    if (!isPattern(registered)) return this.allowsModel(registered);
    const statement = this.modelStatement;
    const prefix = prefixOf(registered);
    if (statement.kind !== 'only' || letsAll(statement, prefix)) return true;
    return [...statement.names, ...(statement.prefixes ?? [])].some((it) => it.startsWith(prefix));
  }
  /** What all levels together say about models, including models that are registered later. */
  get modelStatement(): Statement {
    return (this.#modelStatement ??= this.#allModels());
  }

  /** The service behind the pass-through, with everything that its one credential opens. */
  get allowsCloudAgents(): boolean {
    return this.isBypass || (this.#catalogue.hasCloudAgents && this.agents.has(cloudAgentsService.agent_id));
  }

  /** @param tool the bare name, compared exactly */
  allowsTool(serverId: string, tool: string): boolean {
    if (!this.#hasServer(serverId) || !registrationLets(this.#catalogue, serverId, tool)) return false;
    if (this.isBypass) return true;
    const letsTool = (it: LevelReading) => lets(it.tools(serverId), tool);
    return this.#granting.every(letsTool) && this.#narrowing.every(letsTool);
  }

  /**
   * Whether the server is open as a whole. Its resources and prompts are: no permission names them, so whoever was given some
   * of its tools, at any level, has none of them.
   */
  allowsWhole(serverId: string): boolean {
    if (!this.#hasServer(serverId)) return false;
    if (this.isBypass) return true;
    return [...this.#granting, ...this.#narrowing].every((it) => it.tools(serverId).kind !== 'only');
  }

  /**
   * What is behind the address of a toolset: its tools, as far as team, end user, agent and organisation let them; the key
   * names the toolset instead of servers. `undefined` where the caller was not given this toolset.
   */
  toolset(name: string): ToolsetAccess | undefined {
    const toolset = this.#catalogue.toolset(name);
    const { key, isAdmin } = this.#levels;
    const isGiven = key?.mcp_toolsets?.some((it) => this.#catalogue.toolset(it) === toolset) ?? false;
    if (!toolset || (!isAdmin && !isGiven)) return undefined;
    const levels: Levels = { ...this.#levels, key: undefined, isAdmin: false };
    const options: AccessOptions = { ...this.#options, defaultAccess: 'all', leavesPublicOut: true };
    return within(toolset, new Access(levels, this.#catalogue, options));
  }

  #allModels(): Statement {
    const granting = this.#granting.map((it) => it.models);
    const isSilent = granting.every((it) => it.kind === 'inherit');
    if (this.#levels.isAdmin === true && granting[0]?.kind === 'inherit') return all;
    if (isSilent && this.#options.defaultAccess === 'none') return only([]);
    return [...granting, ...this.#narrowing.map((it) => it.models)].reduce(meet, inherit);
  }

  #hasServer(id: string): boolean {
    const place = this.#catalogue.placeOf(id);
    if (place === undefined) return false;
    return this.isBypass || hasPlace((this.#places ??= this.#placesOf(this.#catalogue)), place);
  }

  #serversOf(catalogue: Catalogue): ReadonlySet<string> {
    const places = (this.#places ??= this.#placesOf(catalogue));
    if (arePlacesSame(places, catalogue.allPlaces)) return catalogue.allServers;
    return new Set(catalogue.serverOrder.filter((_, at) => hasPlace(places, at)));
  }

  #placesOf({ serverOrder, allPlaces, publicPlaces }: Catalogue): Places {
    const isSilent = this.#granting.every((it) => it.servers.kind === 'inherit');
    const isShut = this.#granting.some(({ servers }) => servers.kind === 'only' && servers.excludesPublic === true);
    const isOpen = !isSilent || this.#options.defaultAccess === 'all';
    const places = isOpen ? allPlaces.slice() : noPlaces(serverOrder.length);
    narrow(places, this.#granting);
    // Public servers come before the ceilings, so that no level that narrows is escaped.
    if (!isShut && !this.#options.leavesPublicOut)
      for (let at = 0; at < places.length; at += 1) places[at] = (places[at] as number) | (publicPlaces[at] as number);
    narrow(places, this.#narrowing);
    return places;
  }

  #agentsOf({ agents }: Catalogue): ReadonlySet<string> {
    const granting = this.#granting.map((it) => it.agents);
    const isSilent = granting.every((it) => it.kind === 'inherit');
    const statements = [...granting, ...this.#narrowing.map((it) => it.agents)];
    if (isSilent && this.#options.defaultAccess === 'none') return none;
    return new Set([...agents.keys()].filter((id) => statements.every((it) => lets(it, id))));
  }
}
export type ToolsetAccess = Pick<Access, 'servers' | 'allowsTool' | 'allowsWhole'>;

const none: ReadonlySet<string> = new Set();

/** Takes away what a level does not let through. */
function narrow(places: number[], levels: readonly LevelReading[]): void {
  for (const { serverPlaces } of levels)
    if (serverPlaces)
      for (let at = 0; at < places.length; at += 1) places[at] = (places[at] as number) & (serverPlaces[at] as number);
}

/** The registration's own lists (`gateway.access.tools`): the list that denies wins, and names are compared exactly. */
function registrationLets(catalogue: Catalogue, serverId: string, tool: string): boolean {
  const server = catalogue.servers.get(serverId);
  const allowed = server?.allowed_tools ?? [];
  return (allowed.length === 0 || allowed.includes(tool)) && !(server?.disallowed_tools ?? []).includes(tool);
}

/** The tools of a toolset that `others` let: one without tools has none, however empty lists are read (gateway.access.toolset-empty). */
function within({ tools }: ToolsetFacts, others: Access): ToolsetAccess {
  return {
    servers: new Set(tools.map((it) => it.server_id).filter((it) => others.servers.has(it))),
    allowsTool: (serverId, tool) =>
      tools.some((it) => it.server_id === serverId && it.tool_name === tool) && others.allowsTool(serverId, tool),
    allowsWhole: () => false,
  };
}
