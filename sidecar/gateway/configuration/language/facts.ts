import { isRecord } from '../../../platform/isRecord.ts';

export interface ServerFacts {
  readonly id: string;
  readonly name: string;
  /** By their own names. Absent: nobody asked the server yet. */
  readonly tools?: readonly string[];
  readonly health?: 'healthy' | 'unhealthy' | 'unknown';
  /** In words, without secrets: why it is not well. */
  readonly trouble?: string;
  readonly groups?: readonly string[];
}

/** What the running gateway knows beside the file. Empty lists where it does not run. */
export interface GatewayFacts {
  readonly servers: readonly ServerFacts[];
  readonly agents: readonly { readonly id: string; readonly name: string; readonly groups?: readonly string[] }[];
  readonly toolsets: readonly string[];
  readonly teams: readonly string[];
  readonly organizations: readonly string[];
  readonly budgets: readonly string[];
  /** By the names that callers use. */
  readonly models: readonly string[];
}
export const noFacts: GatewayFacts = {
  servers: [],
  agents: [],
  toolsets: [],
  teams: [],
  organizations: [],
  budgets: [],
  models: [],
};

/** Kinds of names that one place of the file uses for a thing of another. */
export type NameKind =
  | 'server'
  | 'tool'
  | 'agent'
  | 'team'
  | 'toolset'
  | 'organization'
  | 'budget'
  | 'guardrail'
  | 'model'
  | 'serverGroup'
  | 'agentGroup'
  | 'program';

/** All names there are: those of the file, as far as it can be read, and those of the gateway. */
export class Names {
  readonly #file: Readonly<Record<string, unknown>>;
  readonly #facts: GatewayFacts;

  constructor(file: unknown, facts: GatewayFacts) {
    this.#file = isRecord(file) ? file : {};
    this.#facts = facts;
  }

  /** @param server for tools: whose */
  of(kind: NameKind, server?: string): readonly string[] {
    return [...new Set(this.#find(kind, server))].filter((it) => it !== '').sort();
  }

  server(nameOrId: string): ServerFacts | undefined {
    return this.#facts.servers.find((it) => it.id === nameOrId || it.name === nameOrId);
  }

  #find(kind: NameKind, server: string | undefined): string[] {
    const { servers, agents, teams, toolsets, organizations, budgets, models } = this.#facts;
    switch (kind) {
      case 'server':
        return [
          ...this.#entries('mcp_servers').map(([name, it]) => text(it['server_id']) || name),
          ...servers.map((it) => it.id),
        ];
      case 'tool':
        return [...this.#toolsInFile(server), ...(this.server(server ?? '')?.tools ?? [])];
      case 'agent':
        return [...this.#entries('agents').map(([name]) => name), ...agents.map((it) => it.name)];
      case 'team':
        return [...this.#entries('teams').map(([name]) => name), ...teams];
      case 'toolset':
        return [...this.#entries('toolsets').map(([name]) => name), ...toolsets];
      case 'organization':
        return [
          ...this.#entries('organizations').map(([name, it]) => text(it['organization_id']) || name),
          ...organizations,
        ];
      case 'budget':
        return [...this.#entries('budgets').map(([name]) => name), ...budgets];
      case 'guardrail':
        return list(this.#file['guardrails']).map((it) => (isRecord(it) ? text(it['guardrail_name']) : ''));
      case 'model':
        return [...list(this.#file['model_list']).map((it) => (isRecord(it) ? text(it['model_name']) : '')), ...models];
      case 'serverGroup':
        return [...this.#groups('mcp_servers', 'mcp_access_groups'), ...servers.flatMap((it) => it.groups ?? [])];
      case 'agentGroup':
        return [...this.#groups('agents', 'agent_access_groups'), ...agents.flatMap((it) => it.groups ?? [])];
      case 'program':
        return list(isRecord(this.#file['stdio']) ? this.#file['stdio']['allowed_commands'] : []).map(text);
    }
  }

  #entries(section: string): (readonly [string, Readonly<Record<string, unknown>>])[] {
    const entries = this.#file[section];
    return isRecord(entries) ? Object.entries(entries).map(([name, it]) => [name, isRecord(it) ? it : {}]) : [];
  }

  #groups(section: string, member: string): string[] {
    return this.#entries(section).flatMap(([, it]) => list(it[member]).map(text));
  }

  /** Tools that the file itself speaks of. */
  #toolsInFile(server: string | undefined): string[] {
    const own =
      this.#entries('mcp_servers').find(([name, it]) => name === server || it['server_id'] === server)?.[1] ?? {};
    const lists = ['allowed_tools', 'disallowed_tools'].flatMap((it) => list(own[it]).map(text));
    const maps = ['allowed_params', 'tool_name_to_display_name', 'tool_name_to_description'].flatMap((it) =>
      isRecord(own[it]) ? Object.keys(own[it]) : [],
    );
    return [...lists, ...maps];
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
