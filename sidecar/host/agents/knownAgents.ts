import type { OptionQuery, OptionSuggestion, SessionOptions } from '../../agents/options.ts';
import type { AgentProvider, AgentSession } from '../../agents/provider.ts';
import type { ShippedFolder } from '../../agents/shippedFolder.ts';
import { Fault } from '../../platform/faults.ts';
import type { AgentInfo, SessionModelInfo } from '../../protocol/channels/root/schema.ts';
import type { Customization, DirectoryCustomization } from '../../protocol/channels/session/customizations.ts';
import { sameJson } from '../../protocol/collections.ts';
import { ROOT } from '../../protocol/uris.ts';
import { type EffectDeps, plainWindow, type Requester } from '../context/effectDeps.ts';
import { workingFolders } from '../context/folders/workingFolders.ts';
import { toFileUri } from '../context/paths.ts';
import { OPEN_LIMIT_MS } from './agentRuntimes.ts';
import { asking, withValuesOf } from './modes/askingModes.ts';
import { toModels } from './sessionConfig.ts';

/** An agent that was opened for its values alone is let go when nobody asked for so long. */
const KEPT_MS = 120_000;

/** The list of agents that all windows together can use, and what each of them offered last. */
export class KnownAgents {
  readonly #deps: EffectDeps;
  readonly #requesters: () => readonly Requester[];
  /** What each offered last, whatever was chosen then. */
  readonly #offered = new Map<string, SessionOptions>();
  /** What held in its last new conversation before anything was chosen. */
  readonly #began = new Map<string, SessionOptions>();
  /** The last list, also after the window that brought an agent closed: its sessions are still there. */
  readonly #seen = new Map<string, AgentProvider>();

  /** Agents that were opened for their values alone. */
  readonly #kept = new Map<string, { readonly agent: AgentSession; readonly stop: () => void }>();

  constructor(deps: EffectDeps, requesters: () => readonly Requester[]) {
    this.#deps = deps;
    this.#requesters = requesters;
  }

  /** Brings `root/agentsChanged` up to date; called when a window came or changed its settings. */
  refresh(): void {
    const windows = this.#requesters().map((it) => it.window ?? plainWindow);
    if (windows.length > 0) this.#seen.clear();
    for (const it of windows.flatMap((window) => this.#deps.providers(window))) {
      this.#seen.delete(it.id); // what one window has last stays behind the agents that only another one has
      this.#seen.set(it.id, it);
    }
    const agents = [...this.#seen.values()].map((it) => this.#toInfo(it));
    const root = this.#deps.store.root;
    if (!sameJson(root.agents, agents)) this.#deps.store.commit(ROOT, { type: 'root/agentsChanged', agents } as Agents);
  }

  /** The id of the agent that is meant; without a name the first one. @throws {Fault} `provider_not_found` */
  find(requester: Requester, provider: string | undefined): string {
    const own = this.#deps.providers(requester.window ?? plainWindow);
    const found = provider === undefined ? own[0] : own.find((it) => it.id === provider);
    if (!found) throw new Fault('provider_not_found', 'agent not found');
    return found.id;
  }

  /**
   * What a new session of the agent is offered: what it offered when it was opened last in this host, with the values that
   * a new conversation has. What was chosen in one session means nothing for the next (`host.mode.not-inherited`).
   */
  options(provider: string): SessionOptions | undefined {
    const offered = this.#offered.get(provider);
    const began = this.#began.get(provider);
    return offered && began && asking(withValuesOf(offered, began));
  }
  /** @param began absent for a conversation that went on: its values are those of one session alone */
  learned(provider: string, offered: SessionOptions, began: SessionOptions | undefined): void {
    this.#offered.set(provider, offered);
    if (began) this.#began.set(provider, began);
    this.refresh();
  }

  /** Starts the agent just to read what it offers, unless that is known. @throws {Fault} of the agent */
  async learn(provider: string, requester: Requester, workingDirectory: string | undefined): Promise<SessionOptions> {
    const known = this.options(provider);
    if (known) return known;
    const agent = await this.#open(provider, requester, workingDirectory);
    if (completes(agent)) this.#keep(provider, agent);
    else await agent.close();
    return this.options(provider) ?? agent.options;
  }

  /** Values of a field of the agent's form. It stays open for a while: a person goes on typing. @throws {Fault} as above */
  async complete(
    provider: string,
    requester: Requester,
    workingDirectory: string | undefined,
    query: OptionQuery,
  ): Promise<readonly OptionSuggestion[]> {
    const agent = this.#kept.get(provider)?.agent ?? (await this.#open(provider, requester, workingDirectory));
    this.#keep(provider, agent);
    return (await agent.completeOption?.(query)) ?? [];
  }

  /** What the agent listed; empty for one that nobody knows. */
  models(provider: string | undefined): readonly SessionModelInfo[] {
    const root = this.#deps.store.root;
    return root.agents.find((it) => it.provider === provider)?.models ?? [];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((it) => this.letGo(it)));
  }

  #keep(provider: string, agent: AgentSession): void {
    const before = this.#kept.get(provider);
    before?.stop();
    if (before?.agent !== agent) {
      void before?.agent.close(); // two that were opened at the same time
      agent.onGone(() => {
        const kept = this.#kept.get(provider);
        if (kept?.agent !== agent) return;
        kept.stop();
        this.#kept.delete(provider);
      });
    }
    const letGo = () => void this.letGo(provider).catch((thrown) => this.#deps.report(this.#deps.newId(), thrown));
    this.#kept.set(provider, { agent, stop: this.#deps.timers.after(KEPT_MS, letGo) });
  }
  /** One that was opened for its values alone ends. */
  async letGo(provider: string): Promise<void> {
    const kept = this.#kept.get(provider);
    this.#kept.delete(provider);
    kept?.stop();
    await kept?.agent.close();
  }

  async #open(provider: string, requester: Requester, workingDirectory: string | undefined): Promise<AgentSession> {
    const window = requester.window ?? plainWindow;
    if (!window.trusted) throw new Fault('not_trusted', 'Trust this folder to run agents.');
    const found = this.#deps.providers(window).find((it) => it.id === provider);
    if (!found) throw new Fault('provider_not_found', 'agent not found');
    const limit = new AbortController();
    const stop = this.#deps.timers.after(OPEN_LIMIT_MS, () => limit.abort());
    try {
      const { context } = await this.outside(found, requester, workingDirectory);
      const agent = await found.open(context, limit.signal);
      this.learned(provider, agent.options, agent.began ?? agent.options);
      return agent;
    } finally {
      stop();
    }
  }

  /** Where an agent starts outside a session. */
  async outside(provider: AgentProvider, requester: Requester, workingDirectory: string | undefined) {
    const window = requester.window ?? plainWindow;
    const refuse = async () => {
      throw new Fault('forbidden', 'files and terminals can be used only during a turn');
    };
    const { folders } = await workingFolders(workingDirectory === undefined ? [] : [workingDirectory], false);
    // No session has a sandbox yet, and an agent can run what a program in an earlier sandbox left in the folder.
    const isKeptAway = folders.length === 0 || window.sandbox === true;
    const start = isKeptAway && provider.needsFolder === true ? [this.#deps.emptyFolder()] : folders;
    const token = (resource: string) => requester.tokens.get(resource)?.value;
    const files = { readText: refuse, writeText: refuse };
    const context = { sessionId: ROOT, folders: start, env: window.env, config: {}, token, files };
    return { context: { ...context, terminals: { run: refuse } }, folder: folders[0] };
  }

  /**
   * @param channel the session that needs them: the client is notified besides, where nobody answers it
   * @throws {Fault} `auth_required` when the agent cannot be used without a token that was not pushed
   */
  requireTokens(provider: string, requester: Requester | undefined, channel?: string): void {
    const missing = this.#missingTokens(provider, requester);
    if (missing.length === 0) return;
    if (requester && channel !== undefined)
      for (const { resource } of missing) this.#deps.tokens.demand(requester, resource, { channel });
    const names = missing.map((it) => it.resource_name ?? it.resource).join(', ');
    throw new Fault('auth_required', `Sign in to ${names} first.`, { data: { resources: missing } });
  }

  /** Whether the agent can be started for a client as it is now: it has it, trusts its folder and pushed its tokens. */
  serves(provider: string | undefined, requester: Requester): boolean {
    const window = requester.window ?? plainWindow;
    if (provider === undefined || !window.trusted) return false;
    const isTheirs = this.#deps.providers(window).some((it) => it.id === provider);
    return isTheirs && this.#missingTokens(provider, requester).length === 0;
  }

  #missingTokens(provider: string, requester: Requester | undefined) {
    const root = this.#deps.store.root;
    const resources = root.agents.find((it) => it.provider === provider)?.protectedResources ?? [];
    return this.#deps.tokens.missing(requester, resources);
  }

  /** Whether it works elsewhere, so that there is nothing for the host to decide. */
  isRemote(provider: string): boolean {
    return this.#seen.get(provider)?.isRemote === true;
  }

  /** What the agent brings into a new session. */
  customizations(provider: string): Customization[] | undefined {
    const root = this.#deps.store.root;
    return root.agents.find((it) => it.provider === provider)?.customizations;
  }

  /** The count of sessions in root state. */
  countSessions(): void {
    const activeSessions = this.#deps.storage.sessions.count();
    const root = this.#deps.store.root;
    if (root.activeSessions !== activeSessions) {
      this.#deps.store.commit(ROOT, { type: 'root/activeSessionsChanged', activeSessions } as Count);
    }
  }

  #toInfo(provider: AgentProvider): AgentInfo {
    const {
      id,
      displayName,
      description,
      models,
      folders,
      protectedResources,
      capabilities = { multipleChats: {} },
      isRemote,
      conversations,
    } = provider;
    const options = this.#offered.get(id);
    const keeps = conversations && (conversations.abilities ?? options?.conversations);
    return {
      provider: id,
      displayName,
      description,
      models: models
        ? toModels(id, { models }, models[0]?.id)
        : options
          ? toModels(id, options, this.#began.get(id)?.model)
          : [],
      ...(folders && folders.length > 0 && { customizations: folders.map((it) => toDirectory(id, it)) }),
      ...(protectedResources && protectedResources.length > 0 && { protectedResources: [...protectedResources] }),
      capabilities: {
        ...capabilities,
        ...(options?.severalFolders && { multipleWorkingDirectories: {} }),
        ...(options?.prompts && { prompts: options.prompts }),
        ...(isRemote && { remote: {} }),
        ...(keeps && { conversations: { deletes: keeps.deletes } }),
      },
    };
  }
}
/** It is asked while somebody types, so it stays open for that. */
function completes({ options, completeOption }: AgentSession): boolean {
  return completeOption !== undefined && Object.values(options.form?.properties ?? {}).some((it) => it.enumDynamic);
}

/** `_meta.shipped`: the host knows it again in the sessions that it was given to. */
function toDirectory(agent: string, { path, name, contents, writable }: ShippedFolder): DirectoryCustomization {
  const id = `${agent}/${contents}/${name}`;
  return {
    type: 'directory',
    id,
    uri: toFileUri(path),
    name,
    contents,
    writable,
    enabled: true,
    _meta: { shipped: true },
  };
}

type Agents = { type: 'root/agentsChanged'; agents: AgentInfo[] };
type Count = { type: 'root/activeSessionsChanged'; activeSessions: number };
