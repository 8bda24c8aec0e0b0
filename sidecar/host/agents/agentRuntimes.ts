import type { ModelsThrough } from '../../agents/models.ts';
import type { SessionOptions } from '../../agents/options.ts';
import type { AgentProvider, AgentSession, OfferedTools, SessionFiles } from '../../agents/provider.ts';
import type { SessionTerminals } from '../../agents/terminals.ts';
import type { ToolServer } from '../../agents/toolServers.ts';
import { Fault } from '../../platform/faults.ts';
import { isSandboxed, withoutOwnChoices } from '../../protocol/channels/session/sandboxChoice.ts';
import { AuthRequiredData } from '../../protocol/errors.ts';
import type { WindowInfo } from '../../protocol/window.ts';
import { forkedConversation } from '../context/chatSources.ts';
import { type EffectDeps, plainWindow, type Requester } from '../context/effectDeps.ts';
import { type WorkingFolders, workingFolders } from '../context/folders/workingFolders.ts';
import { ToolBridges } from '../tools/toolBridges.ts';
import { inOrder } from './capabilities.ts';
import { conversationMemory } from './conversationMemory.ts';
import { editorModelsOf } from './editorModels.ts';
import { guidanceOf } from './guidance.ts';
import { openAsking, SessionModes } from './modes/sessionModes.ts';

/** How long an agent may take to answer what it offers; then the creation of its session fails (host.error.creation). */
export const OPEN_LIMIT_MS = 30_000;
/** An agent that was opened for its options alone is let go after this time; it is opened again when needed. */
const UNUSED_MS = 120_000;

export interface AgentRuntime {
  readonly chat: string;
  readonly session: string;
  readonly provider: AgentProvider;
  readonly agent: AgentSession;
  /** Absolute real paths. */
  readonly folders: readonly string[];
  /** Of the folders that it was started in. */
  readonly identity: string;
  /** Set while a turn runs: where agents that write through the host do it. */
  files: SessionFiles | undefined;
  /** Runs commands in terminals. Set while a turn runs. */
  terminals: SessionTerminals | undefined;
  /** Set while a turn runs: the tools that the session offers it. */
  tools: OfferedTools | undefined;
  /** A notice that the agent forgot the conversation was written; it is written once. */
  isForgottenReported: boolean;
  /** The title that it gave its session. */
  title: string | undefined;
  /** Its hooks were notified that it began. */
  isBegunReported: boolean;
  /** Problems of its hooks that were reported already. */
  readonly reportedHooks: Set<string>;
  /** It does not go on with a conversation of its own. */
  readonly isNew: boolean;
  /** What held in its new conversation before anything was chosen. */
  readonly began: SessionOptions | undefined;
  /** It was sent what its chat begins with. */
  isEarlierReported: boolean;
  /** By resource: the tokens that it was started with. */
  readonly handed: Map<string, string | undefined>;
}

/** The agents that are open, one conversation for each chat. They start when first needed. */
export class AgentRuntimes {
  readonly modes = new SessionModes();
  readonly #deps: EffectDeps;
  readonly #onOptions: (runtime: AgentRuntime) => void;
  readonly #opening = new Map<string, Promise<AgentRuntime>>();
  readonly #open = new Map<string, AgentRuntime>();
  readonly #requesters = new Map<string, Requester>();
  readonly #unused = new Map<string, () => void>();
  readonly #bridges: ToolBridges;
  /** By session: where the calls to models went at the last notice. */
  readonly #modelsTold = new Map<string, ModelsThrough>();
  /** Chats whose folders are others than those that their agent was started with. */
  readonly #moved = new Set<string>();

  constructor(deps: EffectDeps, onOptions: (runtime: AgentRuntime) => void) {
    this.#deps = deps;
    this.#onOptions = onOptions;
    this.#bridges = new ToolBridges(deps);
  }

  /** The window whose settings count for a session from now on. */
  setRequester(session: string, requester: Requester): void {
    this.#requesters.set(session, requester);
  }
  renewRequester(requester: Requester): void {
    for (const [session, known] of this.#requesters) {
      if (known.clientId === requester.clientId) this.#requesters.set(session, requester);
    }
  }
  requester(session: string): Requester | undefined {
    return this.#requesters.get(session);
  }
  get(chat: string): AgentRuntime | undefined {
    return this.#open.get(chat);
  }

  /**
   * The chat's agent, started if need be.
   * @throws {Fault} what the provider says, `not_trusted`, `provider_not_found`, `folder_gone`, `folder_needed`, or
   *   `unavailable` after 30 s of silence
   */
  async use(chat: string): Promise<AgentRuntime> {
    this.#unused.get(chat)?.();
    this.#unused.delete(chat);
    const places = await this.folders(chat).catch(async (thrown: unknown) => {
      await this.close(chat); // where it worked is no more
      throw thrown;
    });
    const open = this.#open.get(chat);
    const isMoved = this.#moved.delete(chat) || (open !== undefined && open.identity !== places.identity);
    const known = open ?? this.#opening.get(chat);
    if (known && !isMoved && !(open && this.#hasOldTokens(open))) {
      this.#trustedWindow(this.#deps.store.metadata(chat)?.session ?? ''); // trust may have been taken back since it was started
      return known;
    }
    const opening = known ? this.#restart(chat, known, places) : this.#start(chat, places);
    this.#opening.set(chat, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(chat) === opening) this.#opening.delete(chat);
    }
  }

  /** Where the agent of a chat works, as it is now. @throws {Fault} `folder_gone`, `folder_needed` */
  folders(chat: string): Promise<WorkingFolders> {
    const session = this.#deps.store.metadata(chat)?.session ?? '';
    const { provider, workingDirectories } = this.#deps.store.state('session', session) ?? {};
    const window = this.#requesters.get(session)?.window ?? plainWindow;
    const needed = this.#deps.providers(window).find((it) => it.id === provider)?.needsFolder === true;
    return workingFolders(inOrder({ workingDirectories, ...this.#deps.store.state('chat', chat) }), needed);
  }

  /** Whether the sandbox of the session, if it is in one, can start. */
  canStart(session: string): Promise<boolean> {
    const { env } = this.#requesters.get(session)?.window ?? plainWindow;
    return this.#deps.sandboxes.start(session, env).then(
      () => true,
      () => false,
    );
  }

  /** An agent gets its folders when it starts: with the next turn it starts again, and goes on with its conversation. */
  foldersChanged(chat: string): void {
    if (this.#open.has(chat) || this.#opening.has(chat)) this.#moved.add(chat);
  }

  /** Nobody needs it just now. */
  leaveUnused(chat: string): void {
    this.#unused.get(chat)?.();
    this.#unused.set(
      chat,
      this.#deps.timers.after(UNUSED_MS, () => void this.close(chat)),
    );
  }

  async close(chat: string): Promise<void> {
    this.#unused.get(chat)?.();
    this.#unused.delete(chat);
    this.#moved.delete(chat);
    const runtime = this.#open.get(chat);
    this.#open.delete(chat);
    this.#bridges.closeOf(chat);
    await runtime?.agent.close();
  }
  /** What runs of an agent ends; it starts again when a chat needs it. */
  async closeOf(provider: string): Promise<void> {
    const open = [...this.#open.values()].filter((it) => it.provider.id === provider);
    await Promise.all(open.map((it) => this.close(it.chat)));
  }
  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((it) => this.close(it)));
    await this.#bridges.close();
  }
  /** The tools that a session offers may be others now. */
  toolsChanged(session: string): void {
    this.#bridges.changed(session);
  }
  /** An agent could not go on without another token than the one it has: that one is good no more. */
  refused(session: string, { code, data }: Fault): void {
    const requester = this.#requesters.get(session);
    const wanted = code === 'auth_required' ? AuthRequiredData.safeParse(data).data : undefined;
    for (const { resource } of requester && wanted ? wanted.resources : []) {
      const held = requester?.tokens.get(resource)?.value;
      if (requester && held !== undefined)
        this.#deps.tokens.demand(requester, resource, { channel: session, refused: held });
    }
  }
  /** @returns where the session's agents send their calls to the model of a turn, if that has changed since the last time */
  newModels({ session, agent }: AgentRuntime, model: string | undefined): ModelsThrough | undefined {
    const modelsThrough = agent.modelsThrough?.(model) ?? 'own';
    if (modelsThrough === (this.#modelsTold.get(session) ?? 'own')) return undefined;
    this.#modelsTold.set(session, modelsThrough);
    return modelsThrough;
  }
  forgetSession(session: string): void {
    this.#modelsTold.delete(session);
    this.#requesters.delete(session);
    this.modes.forget(session);
  }

  /** @throws {Fault} `not_trusted` */
  #trustedWindow(session: string): WindowInfo {
    const window = this.#requesters.get(session)?.window ?? plainWindow;
    if (!window.trusted) throw new Fault('not_trusted', 'Trust this folder to run agents.');
    return window;
  }

  async #restart(
    chat: string,
    before: AgentRuntime | Promise<AgentRuntime>,
    places: WorkingFolders,
  ): Promise<AgentRuntime> {
    await Promise.resolve(before).catch(() => undefined); // whoever asked for that one got the error
    await this.close(chat);
    return this.#start(chat, places);
  }

  async #start(chat: string, { folders, identity }: WorkingFolders): Promise<AgentRuntime> {
    const session = this.#deps.store.metadata(chat)?.session ?? '';
    const state = this.#deps.store.state('session', session);
    if (!state) throw new Fault('session_not_found', 'the session no longer exists');
    const window = this.#trustedWindow(session);
    const provider = this.#deps.providers(window).find((it) => it.id === state.provider);
    if (!provider)
      throw (
        this.#deps.whyMissing(state.provider) ??
        new Fault('provider_not_found', `The agent "${state.provider}" was not found.`)
      );
    const runtime: { current?: AgentRuntime } = {};
    const handed: AgentRuntime['handed'] = new Map();
    const resumeId = this.#deps.storage.small.resumeId(chat);
    const forkOf = resumeId === undefined ? forkedConversation(this.#deps, chat) : undefined;
    const limit = new AbortController();
    const stop = this.#deps.timers.after(OPEN_LIMIT_MS, () => limit.abort());
    try {
      const agent = await raceAbort(
        this.#toolServers(session, window).then((toolServers) =>
          provider.open(
            {
              sessionId: session,
              folders,
              env: window.env,
              config: withoutOwnChoices(state.config?.values ?? {}),
              isSandboxed: isSandboxed(state.config?.values),
              ...(resumeId !== undefined && { resumeId }),
              ...(forkOf !== undefined && { forkOf }),
              token: (resource) => this.#hand(session, resource, runtime.current ? undefined : handed),
              toolServers,
              models: {
                choice: window.agentModels?.[provider.id] ?? 'auto',
                offered: () => this.#deps.sessionTools.models(session, chat),
                editor: editorModelsOf(this.#deps.askClient, () => this.#requesters.get(session)),
              },
              remote: (service) => this.#deps.sessionTools.agents(session, chat, service),
              files: filesOf(() => runtime.current?.files),
              terminals: terminalsOf(() => runtime.current?.terminals),
              memory: conversationMemory(this.#deps, chat),
              guidance: () => guidanceOf(this.#deps.store.state('session', session)?.customizations),
              offeredServer: () => this.#bridges.open(chat, session, () => runtime.current?.tools),
              ...(this.#deps.asProgram && { asProgram: this.#deps.asProgram }),
            },
            limit.signal,
          ),
        ),
        limit.signal,
        `${provider.displayName} did not respond within ${OPEN_LIMIT_MS / 1000} seconds.`,
      );
      const isNew = (resumeId === undefined && !agent.isFork) || agent.forgotEarlierTurns === true;
      const began = isNew ? (agent.began ?? agent.options) : undefined;
      await openAsking(agent, provider.displayName, this.modes.chosen(session, state)).catch(
        async (thrown: unknown) => {
          await agent.close();
          throw thrown;
        },
      );
      runtime.current = {
        chat,
        session,
        provider,
        agent,
        folders,
        identity,
        files: undefined,
        terminals: undefined,
        tools: undefined,
        isForgottenReported: false,
        title: undefined,
        isBegunReported: false,
        reportedHooks: new Set(),
        isNew,
        began,
        isEarlierReported: false,
        handed,
      };
    } finally {
      stop();
    }
    return this.#keep(runtime.current);
  }

  #hand(session: string, resource: string, handed: AgentRuntime['handed'] | undefined): string | undefined {
    const value = this.#requesters.get(session)?.tokens.get(resource)?.value;
    handed?.set(resource, value);
    return value;
  }
  #hasOldTokens({ session, handed }: AgentRuntime): boolean {
    return [...handed].some(([resource, value]) => this.#hand(session, resource, undefined) !== value);
  }

  async #toolServers(session: string, { sessionTools }: WindowInfo): Promise<readonly ToolServer[]> {
    return sessionTools === false ? [] : this.#deps.sessionTools.open(session);
  }

  #keep(runtime: AgentRuntime): AgentRuntime {
    const { chat, agent } = runtime;
    this.#open.set(chat, runtime);
    agent.onGone(() => {
      if (this.#open.get(chat) === runtime) this.#open.delete(chat);
    });
    agent.onOptions(() => this.#onOptions(runtime));
    this.#onOptions(runtime);
    if (this.#deps.store.has(chat)) return runtime;
    void this.close(chat); // disposed of while it started
    throw new Fault('session_not_found', 'the chat no longer exists');
  }
}

function filesOf(current: () => SessionFiles | undefined): SessionFiles {
  const files = (): SessionFiles => {
    const now = current();
    if (!now) throw new Fault('forbidden', 'files can be accessed only during a turn');
    return now;
  };
  return {
    readText: async (path) => files().readText(path),
    writeText: async (path, content) => files().writeText(path, content),
  };
}

function terminalsOf(current: () => SessionTerminals | undefined): SessionTerminals {
  return {
    async run(command) {
      const now = current();
      if (!now) throw new Fault('forbidden', 'commands can be run only during a turn');
      return now.run(command);
    },
  };
}

/** What comes after the limit is closed, not leaked. */
async function raceAbort(opening: Promise<AgentSession>, signal: AbortSignal, message: string): Promise<AgentSession> {
  let isLate = false;
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      isLate = true;
      reject(new Fault('unavailable', message));
    });
  });
  opening.then(
    (agent) => (isLate ? void agent.close() : undefined),
    () => undefined,
  );
  return Promise.race([opening, late]);
}
