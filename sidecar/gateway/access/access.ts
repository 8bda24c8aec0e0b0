import type { Catalogue, ToolsetFacts } from './catalogue.ts';
import {
  agentStatement,
  type ObjectPermission,
  type ReadingOptions,
  serverStatement,
  toolStatement,
} from './permission.ts';
import { all, inherit, lets, meet, nothing, only, type Statement } from './statement.ts';

/** Who asks, as far as permissions go. A level that is not there says nothing. */
export interface Levels {
  readonly key?: ObjectPermission | undefined;
  readonly team?: ObjectPermission | undefined;
  readonly endUser?: ObjectPermission | undefined;
  readonly agent?: ObjectPermission | undefined;
  readonly organization?: ObjectPermission | undefined;
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
export const ceilings = ['endUser', 'agent', 'organization'] as const;

/**
 * What one caller may use: the same answer for lists and calls, for MCP and A2A (gateway-completion 1.17.5). Pure, so it may be kept
 * for as long as levels and catalogue stay the same.
 */
export class Access {
  /** Ids of the servers. */
  readonly servers: ReadonlySet<string>;
  /** Ids of the agents. */
  readonly agents: ReadonlySet<string>;
  /** An administrator's key that says nothing: no level was asked. */
  readonly isBypass: boolean;
  readonly #levels: Levels;
  readonly #catalogue: Catalogue;
  readonly #options: AccessOptions;
  readonly #tools = new Map<string, Statement>();

  constructor(levels: Levels, catalogue: Catalogue, options: AccessOptions) {
    const read = (permission: ObjectPermission | undefined) => serverStatement(permission, catalogue, options);
    this.#levels = levels;
    this.#catalogue = catalogue;
    this.#options = options;
    this.isBypass = levels.isAdmin === true && read(levels.key).kind === 'inherit';
    this.servers = this.isBypass ? new Set(catalogue.servers.keys()) : serversOf(levels, catalogue, options);
    this.agents = this.isBypass ? new Set(catalogue.agents.keys()) : agentsOf(levels, catalogue, options);
  }

  /** @param tool the bare name, compared exactly */
  allowsTool(serverId: string, tool: string): boolean {
    if (!this.servers.has(serverId) || !registrationLets(this.#catalogue, serverId, tool)) return false;
    if (this.isBypass) return true;
    let statement = this.#tools.get(serverId);
    if (!statement) this.#tools.set(serverId, (statement = this.#toolsOf(serverId)));
    return lets(statement, tool);
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
    const levels = { ...this.#levels, key: asPermission(toolset), isAdmin: false };
    return new Access(levels, this.#catalogue, { ...this.#options, leavesPublicOut: true });
  }

  #toolsOf(serverId: string): Statement {
    const { key, team } = this.#levels;
    const of = (permission: ObjectPermission | undefined) =>
      toolStatement(permission, serverId, this.#catalogue, this.#options);
    return [key, team, ...ceilings.map((it) => this.#levels[it])].map(of).reduce(meet, inherit);
  }
}
export type ToolsetAccess = Pick<Access, 'servers' | 'allowsTool'>;

function serversOf(levels: Levels, catalogue: Catalogue, options: AccessOptions): ReadonlySet<string> {
  const of = (permission: ObjectPermission | undefined) => serverStatement(permission, catalogue, options);
  const granted = withDefault(meet(of(levels.key), of(levels.team)), options);
  // Public servers come before the ceilings, so that no level that narrows is escaped.
  const takesPublic = granted.kind === 'only' && !granted.excludesPublic && !options.leavesPublicOut;
  const base = takesPublic ? only([...granted.names, ...catalogue.publicServers]) : granted;
  const result = ceilings.map((it) => of(levels[it])).reduce(meet, base);
  return new Set([...catalogue.servers.keys()].filter((it) => lets(result, it)));
}

function agentsOf(levels: Levels, catalogue: Catalogue, options: AccessOptions): ReadonlySet<string> {
  const of = (permission: ObjectPermission | undefined) => agentStatement(permission, catalogue, options);
  const base = withDefault(meet(of(levels.key), of(levels.team)), options);
  const result = ceilings.map((it) => of(levels[it])).reduce(meet, base);
  return new Set([...catalogue.agents.keys()].filter((it) => lets(result, it)));
}

function withDefault(statement: Statement, { defaultAccess }: AccessOptions): Statement {
  if (statement.kind !== 'inherit') return statement;
  return defaultAccess === 'all' ? all : nothing;
}

/** The registration's own lists: the list that denies wins, names are compared exactly (gateway-completion 1.5). */
function registrationLets(catalogue: Catalogue, serverId: string, tool: string): boolean {
  const server = catalogue.servers.get(serverId);
  const allowed = server?.allowed_tools ?? [];
  return (allowed.length === 0 || allowed.includes(tool)) && !(server?.disallowed_tools ?? []).includes(tool);
}

function asPermission(toolset: ToolsetFacts): ObjectPermission {
  const tools: Record<string, string[]> = {};
  for (const { server_id, tool_name } of toolset.tools) (tools[server_id] ??= []).push(tool_name);
  return { mcp_servers: Object.keys(tools), mcp_tool_permissions: tools };
}
