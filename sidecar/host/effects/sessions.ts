import { Fault, toFault } from '../../platform/faults.ts';
import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { Params } from '../../protocol/methods.ts';
import { status } from '../../protocol/status.ts';
import { chatUri, parseChatUri, parseSessionUri } from '../../protocol/uris.ts';
import type { ActiveClients } from './activeClients.ts';
import type { AgentRuntimes } from './agentRuntimes.ts';
import { titleOf, toChatSummary } from './aggregate.ts';
import { chatState, commitChat, commitSession, sessionState } from './chatAccess.ts';
import { checkActiveClient } from './checkAction.ts';
import type { Asker, EffectDeps } from './effectDeps.ts';
import { forgetSessionRules } from './grantedRules.ts';
import type { KnownAgents } from './knownAgents.ts';
import { toErrorInfo } from './runTurn.ts';
import { refuseConfig, toConfig } from './sessionConfig.ts';
import type { Turns } from './turns.ts';

/** Sessions and chats: made and disposed of by commands (host-completion 3.1, 3.2, 8.7). */
export class Sessions {
  readonly #deps: EffectDeps;
  readonly #runtimes: AgentRuntimes;
  readonly #turns: Turns;
  readonly #agents: KnownAgents;
  readonly #clients: ActiveClients;

  constructor(deps: EffectDeps, runtimes: AgentRuntimes, turns: Turns, agents: KnownAgents, clients: ActiveClients) {
    this.#deps = deps;
    this.#clients = clients;
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
    const wrong = activeClient && checkActiveClient(activeClient, asker.clientId);
    if (wrong !== undefined) throw new Fault('invalid_params', wrong);
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
    if (activeClient) this.#clients.came(activeClient.clientId, channel);
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
