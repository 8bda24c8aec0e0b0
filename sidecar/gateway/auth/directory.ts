import { BoundedMap } from '../../platform/boundedMap.ts';
import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { BudgetRecord } from '../../protocol/gateway/limits.ts';
import type { McpServerRecord, ToolsetRecord } from '../../protocol/gateway/mcpServer.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import { Catalogue, cloudAgentsService } from '../access/catalogue.ts';
import type { KindName, RecordOf } from '../storage/kinds.ts';
import { withAllSealedValues } from '../storage/sealedValues.ts';
import type { GatewayStore } from '../storage/store.ts';

/**
 * What is registered, as one unchanging picture; a change makes a new one. Headers and variables hold their sealed values:
 * it is for calls, never for answers.
 */
export interface Registered {
  readonly servers: readonly McpServerRecord[];
  readonly agents: readonly AgentRecord[];
  readonly toolsets: readonly ToolsetRecord[];
  readonly models: readonly ModelRecord[];
  readonly catalogue: Catalogue;
  /** Named limits, by id. */
  readonly budgets: ReadonlyMap<string, BudgetRecord>;
}

/** Kinds of which single records are remembered. */
type Remembered = 'key' | 'key_grace' | 'team' | 'organization' | 'user' | 'end_user';
const KEPT = 20_000;
/** Kinds of which all records are remembered, as one picture. */
const registeredKinds = ['mcp_server', 'agent', 'toolset', 'model', 'access_group', 'budget'] as const;
type RegisteredKind = (typeof registeredKinds)[number];
const isRegistered = (kind: KindName): kind is RegisteredKind => registeredKinds.some((it) => it === kind);

/**
 * The gateway's memory of its records, so that no call waits for the database: everything that is registered, and each key,
 * team, organisation, user and end user that was asked for. A write forgets what it concerns.
 */
export class Directory {
  readonly #store: GatewayStore;
  readonly #kept = new BoundedMap<string, unknown>(KEPT);
  readonly #listeners = new Set<(kind: KindName, id: string) => void>();
  #registered: Promise<Registered> | undefined;
  #current: Registered | undefined;
  #version = 0;

  constructor(store: GatewayStore) {
    this.#store = store;
    store.changes.listen((kind, id) => {
      this.#version += 1;
      this.#kept.delete(`${kind} ${id}`);
      if (isRegistered(kind)) {
        this.#registered = undefined;
        this.#current = undefined;
      }
      for (const it of this.#listeners) it(kind, id);
    });
  }

  /** Grows with every write that this process knows of: whatever is derived from records holds for one version. */
  get version(): number {
    return this.#version;
  }

  listen(listener: (kind: KindName, id: string) => void): void {
    this.#listeners.add(listener);
  }

  /** What is asked for next is read anew. */
  forget(): void {
    this.#version += 1;
    this.#kept.clear();
    this.#registered = undefined;
    this.#current = undefined;
  }

  /** @throws {Fault} `unavailable` where the database does not answer */
  registered(): Registered | Promise<Registered> {
    return this.#current ?? (this.#registered ??= this.#read());
  }

  /** @throws {Fault} `unavailable` where the database does not answer: never read as "there is none" */
  get<K extends Remembered>(kind: K, id: string): RecordOf<K> | undefined | Promise<RecordOf<K> | undefined> {
    const name = `${kind} ${id}`;
    if (this.#kept.has(name)) return this.#kept.get(name) as RecordOf<K> | undefined;
    return this.#fetch(kind, id, name);
  }

  async #fetch<K extends Remembered>(kind: K, id: string, name: string): Promise<RecordOf<K> | undefined> {
    const version = this.#version;
    const record = await (this.#store[kind] as unknown as { get(id: string): Promise<RecordOf<K> | undefined> }).get(
      id,
    );
    // Keys that nobody has are not remembered: guesses would push out the real ones.
    const isWorthIt = record !== undefined || kind !== 'key';
    if (version === this.#version && isWorthIt) this.#kept.set(name, record);
    return record;
  }

  async #read(): Promise<Registered> {
    const version = this.#version;
    try {
      const { secrets } = this.#store;
      // Most kinds have no records. One query tells which, in place of one for each kind.
      const there = await this.#store.kindsAmong(registeredKinds);
      const all = async <K extends RegisteredKind>(kind: K) =>
        there.has(kind) ? (this.#store[kind].all() as Promise<readonly RecordOf<K>[]>) : [];
      const [servers, agents, toolsets, models, accessGroups, budgets] = await Promise.all([
        all('mcp_server').then((it) => withAllSealedValues(secrets, 'mcp_server', it, ({ server_id }) => server_id)),
        all('agent').then((it) => withAllSealedValues(secrets, 'agent', it, ({ agent_id }) => agent_id)),
        all('toolset'),
        all('model'),
        all('access_group'),
        all('budget'),
      ]);
      const active = servers.filter((it) => it.approval_status === 'active');
      const read = {
        servers: active,
        agents,
        toolsets,
        models,
        catalogue: new Catalogue(active, withCloudAgents(agents), toolsets, accessGroups, models),
        budgets: new Map(budgets.map((it) => [it.budget_id, it])),
      };
      if (version === this.#version) this.#current = read;
      return read;
    } finally {
      this.#registered = undefined;
    }
  }
}

/** An agent of the service's name keeps it: whoever was granted that agent was not granted the service. */
function withCloudAgents(agents: readonly AgentRecord[]) {
  const { agent_id: name } = cloudAgentsService;
  const isTaken = agents.some((it) => it.agent_id === name || it.agent_name === name);
  return isTaken ? agents : [...agents, cloudAgentsService];
}
