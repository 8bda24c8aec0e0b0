import type { AgentRecord } from '../../sidecar/protocol/gateway/agent.ts';
import type { KeyAnswer, McpServerAnswer, TeamAnswer, ToolAnswer } from '../../sidecar/protocol/gateway/answers.ts';
import { whyOf } from '../platform/whyOf.ts';
import type { GatewayRoutes } from './routes.ts';

/** A key with its name for people. */
export interface NamedKey extends KeyAnswer {
  /** Its alias, or the title of the session whose agent has it. */
  readonly label: string;
  /** The agent of a session calls models with it. */
  readonly isOfSession: boolean;
}

/** What the gateway holds, as of the last look. */
export interface GatewayPicture {
  readonly servers: readonly McpServerAnswer[];
  readonly agents: readonly AgentRecord[];
  /** Without those with which editors call the gateway and sessions call tools. */
  readonly keys: readonly NamedKey[];
  readonly teams: readonly TeamAnswer[];
  /** Of the current day, UTC. */
  readonly today: { readonly total_requests: number; readonly failed_requests: number; readonly spend: number };
  /** Hashes of the keys that are in the editor's secret storage. */
  readonly kept: ReadonlySet<string>;
}
export type ToolsLook = { readonly tools: readonly ToolAnswer[] } | { readonly problem: string };

type Health = Pick<McpServerAnswer, 'status' | 'health_check_error'>;

export interface ModelDeps {
  readonly routes: () => GatewayRoutes;
  readonly keptKeys: () => Promise<ReadonlySet<string>>;
  /** For a person. */
  readonly titleOf: (session: string) => string;
  /** YYYY-MM-DD, UTC. */
  readonly day: () => string;
  /** @param isWhole whatever was fetched before counts no more, tools too */
  readonly changed: (isWhole: boolean) => void;
  readonly warn: (message: string) => void;
}

/** What the view shows: fetched when somebody looks, and emitted when it differs. */
export class GatewayModel {
  readonly #deps: ModelDeps;
  readonly #tools = new Map<string, Promise<ToolsLook>>();
  /** By server. Asking takes as long as the slowest server, so the list does not wait for it. */
  #health: ReadonlyMap<string, Health> = new Map();
  #isHealthAsked = false;
  #shown = '';
  #looking: Promise<void> | undefined;
  picture: GatewayPicture | undefined;
  /** Why the last look failed, for a person. */
  problem: string | undefined;

  constructor(deps: ModelDeps) {
    this.#deps = deps;
  }

  get isLooked(): boolean {
    return this.picture !== undefined || this.problem !== undefined;
  }

  /** The first look, and no more than one at a time. */
  loaded(): Promise<void> {
    return this.isLooked ? Promise.resolve() : this.look();
  }

  /** Looks again, and emits a change where something differs. */
  look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Forgets the tools too, and looks again. */
  async refresh(): Promise<void> {
    this.#tools.clear();
    this.#isHealthAsked = false;
    this.#shown = '';
    await this.#looking;
    await this.look();
  }

  /** The server's tools, asked for once until the next refresh. */
  tools(server: string): Promise<ToolsLook> {
    const known = this.#tools.get(server) ?? this.#readTools(server);
    this.#tools.set(server, known);
    return known;
  }

  async #read(): Promise<void> {
    const { keptKeys, titleOf, day } = this.#deps;
    try {
      const routes = this.#deps.routes();
      const [servers, agents, keys, teams, activity, kept] = await Promise.all([
        routes.servers(),
        routes.agents(),
        routes.keys(),
        routes.teams(),
        routes.activity(day()),
        keptKeys(),
      ]);
      const own = keys.filter((it) => !isMachinery(it)).map((it) => named(it, titleOf));
      if (!this.#isHealthAsked && servers.length > 0) void this.#readHealth();
      this.picture = {
        servers: servers.map((it) => this.#withHealth(it)),
        agents,
        keys: own,
        teams,
        today: sumOf(activity),
        kept,
      };
      this.problem = undefined;
    } catch (thrown) {
      this.problem = whyOf(thrown);
    }
    this.#emit();
  }

  async #readHealth(): Promise<void> {
    this.#isHealthAsked = true;
    try {
      const found = await this.#deps.routes().serverHealth();
      this.#health = new Map(found.map((it) => [it.server_id, it]));
    } catch (thrown) {
      this.#isHealthAsked = false; // asked again with the next look
      this.#deps.warn(whyOf(thrown));
      return;
    }
    if (!this.picture) return;
    this.picture = { ...this.picture, servers: this.picture.servers.map((it) => this.#withHealth(it)) };
    this.#emit();
  }

  #withHealth(server: McpServerAnswer): McpServerAnswer {
    const { status, health_check_error } = this.#health.get(server.server_id) ?? server;
    return { ...server, status, health_check_error };
  }

  #emit(): void {
    const { changed } = this.#deps;
    const shown = JSON.stringify([this.picture, [...(this.picture?.kept ?? [])], this.problem]);
    if (shown === this.#shown) return;
    const isWhole = this.#shown === '';
    this.#shown = shown;
    changed(isWhole);
  }

  async #readTools(server: string): Promise<ToolsLook> {
    try {
      const { tools, error, message } = await this.#deps.routes().tools(server);
      return error ? { problem: message ?? error } : { tools };
    } catch (thrown) {
      this.#tools.delete(server);
      return { problem: whyOf(thrown) };
    }
  }
}

const sumOf = (endpoints: readonly GatewayPicture['today'][]): GatewayPicture['today'] => ({
  total_requests: endpoints.reduce((sum, it) => sum + it.total_requests, 0),
  failed_requests: endpoints.reduce((sum, it) => sum + it.failed_requests, 0),
  spend: endpoints.reduce((sum, it) => sum + it.spend, 0),
});

/** The alias of a session's key holds the session's address, which tells a person nothing. */
function named(key: KeyAnswer, titleOf: ModelDeps['titleOf']): NamedKey {
  const { key_alias, key_name, metadata } = key;
  const session = metadata?.['session'];
  const isOfSession = typeof session === 'string' && key_alias?.startsWith(`session ${session},`) === true;
  return { ...key, isOfSession, label: isOfSession ? titleOf(session) : (key_alias ?? key_name) };
}

/** Keys that Switchboard made for itself: windows talk to the gateway with them, sessions call tools. */
function isMachinery({ role, key_alias, metadata }: KeyAnswer): boolean {
  if (role === 'proxy_admin' && key_alias?.startsWith('administrator-')) return true;
  return key_alias !== undefined && key_alias === `session ${String(metadata?.['session'])}`;
}
