import { Fault, toFault } from '../../platform/faults.ts';
import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { Params } from '../../protocol/methods.ts';
import { status } from '../../protocol/status.ts';
import { chatUri, parseChatUri, parseSessionUri } from '../../protocol/uris.ts';
import type { AgentRuntimes } from './agentRuntimes.ts';
import { titleOf, toChatSummary } from './aggregate.ts';
import { chatState, commitChat, commitSession, sessionState } from './chatAccess.ts';
import type { Asker, EffectDeps } from './effectDeps.ts';
import { forgetSessionRules } from './grantedRules.ts';
import type { KnownAgents } from './knownAgents.ts';
import { toErrorInfo } from './runTurn.ts';
import { refuseConfig, toConfig } from './sessionConfig.ts';
import type { Turns } from './turns.ts';

/** How long a client that broke off keeps its place in sessions. */
const CLIENT_GRACE_MS = 30_000;

/** Sessions and chats: made and disposed of by commands (host-completion 3.1, 3.2, 8.7). */
export class Sessions {
  readonly #deps: EffectDeps;
  readonly #runtimes: AgentRuntimes;
  readonly #turns: Turns;
  readonly #agents: KnownAgents;
  /** By client: the sessions that it is active in. */
  readonly #active = new Map<string, Set<string>>();

  constructor(deps: EffectDeps, runtimes: AgentRuntimes, turns: Turns, agents: KnownAgents) {
    this.#deps = deps;
    this.#runtimes = runtimes;
    this.#turns = turns;
    this.#agents = agents;
  }

  /**
   * Makes a session with its default chat. It is ready at once when its agent is known from before; otherwise it stays
   * `creating` until the agent said what it offers.
   * @throws {Fault} `session_exists`, `provider_not_found`, `auth_required`, `invalid_params`, `unavailable`
   */
  async create(params: Params<'createSession'>, asker: Asker): Promise<void> {
    const { store } = this.#deps;
    const { channel, activeClient } = params;
    if (parseSessionUri(channel) === undefined) throw new Fault('invalid_params', 'channel: not a session URI');
    if (store.has(channel)) throw new Fault('session_exists', 'there is such a session already');
    if (params.fork) throw new Fault('invalid_params', 'fork: not supported by this agent');
    if (activeClient && activeClient.clientId !== asker.clientId) {
      throw new Fault('invalid_params', 'activeClient.clientId: not yours');
    }
    const provider = this.#agents.find(asker, params.provider);
    this.#agents.requireTokens(provider, asker);
    const known = this.#agents.options(provider);
    const config = known && toConfig(known, params.config ?? {});
    const chat = chatUri(this.#deps.newId());
    const state: SessionState = {
      provider,
      title: '',
      status: status.Idle | status.IsRead,
      lifecycle: 'creating',
      // One folder, until an agent is capable of more (specification, "Capabilities").
      workingDirectories: (params.workingDirectories ?? []).slice(0, 1),
      activeClients: activeClient ? [activeClient] : [],
      chats: [],
      config: config ?? { schema: { type: 'object', properties: {} }, values: params.config ?? {} },
    };
    store.create(channel, state, { createdAt: this.#deps.now() });
    this.#runtimes.setAsker(channel, asker);
    if (activeClient) this.clientCame(activeClient.clientId, channel);
    this.#addChat(channel, chat, {});
    commitSession(store, channel, { type: 'session/defaultChatChanged', defaultChat: chat });
    if (!(await store.settled())) throw notSaved();
    void this.#makeReady(channel, chat, known !== undefined || asker.window?.trusted === false);
  }

  /** Opens the agent of a session that is not ready yet, and says how that went. */
  async #makeReady(session: string, chat: string, isKnown: boolean): Promise<void> {
    const { store } = this.#deps;
    try {
      if (!isKnown) {
        await this.#runtimes.use(chat);
        this.#runtimes.leaveUnused(chat);
      }
      if (store.has(session) && sessionState(store, session)?.lifecycle !== 'ready')
        commitSession(store, session, { type: 'session/ready' });
    } catch (thrown) {
      const fault = toFault(thrown, this.#deps.report);
      if (store.has(session))
        commitSession(store, session, { type: 'session/creationFailed', error: toErrorInfo(fault) });
    }
  }

  /** @throws {Fault} `session_not_found` */
  async dispose(session: string): Promise<void> {
    const { store, storage } = this.#deps;
    const state = sessionState(store, session);
    if (!state) throw new Fault('session_not_found', 'there is no such session');
    for (const { resource } of state.chats) await this.#endChat(resource);
    for (const changeset of storage.changesets.ofSession(session)) {
      store.commit(changeset, { type: 'changeset/cleared' });
      store.remove(changeset);
      this.#deps.dropChannel(changeset);
    }
    for (const chat of state.chats) store.remove(chat.resource);
    forgetSessionRules(this.#deps, session);
    store.remove(session);
    await store.settled();
    for (const chat of state.chats) this.#deps.dropChannel(chat.resource);
    this.#deps.dropChannel(session);
    this.#runtimes.forgetSession(session);
    await this.#deps.sessionTools.close(session);
    await this.#deps.changes.forget(session);
    this.#agents.countSessions();
    this.#deps.notifyRoot('root/sessionRemoved', { session });
  }

  /** @throws {Fault} `session_not_found`, `already_exists`, `invalid_params`, `unavailable` */
  async createChat(params: Params<'createChat'>, asker: Asker): Promise<void> {
    const { store } = this.#deps;
    const { channel: session, chat, initialMessage, source, workingDirectories } = params;
    const state = sessionState(store, session);
    if (!state) throw new Fault('session_not_found', 'there is no such session');
    if (state.chats.some((it) => it.resource === chat)) return; // naming one that is there succeeds (host-completion 3.2)
    if (parseChatUri(chat) === undefined) throw new Fault('invalid_params', 'chat: not a chat URI');
    if (store.has(chat)) throw new Fault('already_exists', 'the chat belongs to another session');
    if (source) throw new Fault('invalid_params', `source.kind: ${source.kind} is not supported by this agent`);
    const foreign = workingDirectories?.find((it) => !state.workingDirectories?.includes(it));
    if (foreign !== undefined)
      throw new Fault('invalid_params', 'workingDirectories: must be among those of the session');
    this.#addChat(session, chat, {
      title: initialMessage ? titleOf(initialMessage.text) : '',
      ...(workingDirectories && { workingDirectories }),
    });
    this.#runtimes.setAsker(session, asker);
    if (initialMessage) {
      commitChat(store, chat, {
        type: 'chat/turnStarted',
        turnId: this.#deps.newId(),
        startedAt: this.#deps.now(),
        message: initialMessage,
      });
    }
    if (!(await store.settled())) throw notSaved();
  }

  /** @throws {Fault} `session_not_found`, `invalid_params` for the default chat */
  async disposeChat(chat: string): Promise<void> {
    const { store } = this.#deps;
    const session = store.aside(chat)?.session;
    const state = session === undefined ? undefined : sessionState(store, session);
    if (session === undefined || !state) throw new Fault('session_not_found', 'there is no such chat');
    if (state.defaultChat === chat)
      throw new Fault('invalid_params', 'channel: the default chat goes with its session');
    await this.#endChat(chat);
    commitSession(store, session, { type: 'session/chatRemoved', chat });
    store.remove(chat);
    await store.settled();
    this.#deps.dropChannel(chat);
  }

  /** A client offers its tools in a session. */
  clientCame(clientId: string, session: string): void {
    const sessions = this.#active.get(clientId) ?? new Set();
    this.#active.set(clientId, sessions.add(session));
  }

  /** A client does not look at a session any more: what it offered there ends (host-completion 8.3). */
  clientLeft(clientId: string, session: string): void {
    const has = sessionState(this.#deps.store, session)?.activeClients?.some((it) => it.clientId === clientId);
    if (has) this.#removeClient(clientId, session);
  }

  /** Its connection broke: unless it comes back in time, it leaves every session. */
  clientGone(clientId: string, isGone: () => boolean): void {
    const sessions = [...(this.#active.get(clientId) ?? [])];
    if (sessions.length === 0) return;
    this.#deps.schedule(() => {
      if (isGone()) for (const session of sessions) this.clientLeft(clientId, session);
    }, CLIENT_GRACE_MS);
  }

  #removeClient(clientId: string, session: string): void {
    this.#active.get(clientId)?.delete(session);
    const { store } = this.#deps;
    commitSession(store, session, { type: 'session/activeClientRemoved', clientId });
    for (const { resource } of sessionState(store, session)?.chats ?? []) {
      const turn = chatState(store, resource)?.activeTurn;
      for (const part of turn?.responseParts ?? []) {
        if (part.kind !== 'toolCall' || part.toolCall.status !== 'running') continue;
        const { contributor, toolCallId } = part.toolCall;
        if (contributor?.kind !== 'client' || contributor.clientId !== clientId) continue;
        const result = {
          success: false,
          pastTenseMessage: 'Its window is gone',
          error: { message: 'The window that ran this tool is gone.' },
        };
        commitChat(store, resource, { type: 'chat/toolCallComplete', turnId: turn!.id, toolCallId, result });
      }
    }
  }

  /** What an agent offers for a session that is not there yet: the agent is started for it when it is not known. */
  async resolveConfig(params: Params<'resolveSessionConfig'>, asker: Asker) {
    const provider = this.#agents.find(asker, params.provider);
    this.#agents.requireTokens(provider, asker);
    const options = await this.#agents.learn(provider, asker, params.workingDirectory);
    return toConfig(options, params.config ?? {});
  }

  /** Why the config of a session cannot be changed so, or `undefined`. */
  refuseConfig(session: string, config: Record<string, unknown>): string | undefined {
    const schema = sessionState(this.#deps.store, session)?.config?.schema ?? { type: 'object', properties: {} };
    return refuseConfig(schema, config);
  }

  #addChat(session: string, chat: string, more: Partial<ChatState>): void {
    const state: ChatState = {
      resource: chat,
      title: '',
      status: status.Idle | status.IsRead,
      modifiedAt: this.#deps.now(),
      origin: { kind: 'user' },
      turns: [],
      ...more,
    };
    this.#deps.store.create(chat, state, { session, firstTurn: 0 });
    commitSession(this.#deps.store, session, { type: 'session/chatAdded', summary: toChatSummary(state) });
  }

  async #endChat(chat: string): Promise<void> {
    const { store } = this.#deps;
    const turn = chatState(store, chat)?.activeTurn;
    if (turn)
      commitChat(store, chat, {
        type: 'chat/turnCancelled',
        turnId: turn.id,
        duration: elapsed(this.#deps, turn.startedAt),
      });
    await this.#turns.stopped(chat);
    await this.#runtimes.close(chat);
  }
}

/** Milliseconds since a turn began. */
export function elapsed(deps: Pick<EffectDeps, 'nowMs'>, startedAt: string): number {
  return Math.max(0, deps.nowMs() - Date.parse(startedAt));
}

function notSaved(): Fault {
  return new Fault('unavailable', 'not saved: there is no space left on the disk');
}
