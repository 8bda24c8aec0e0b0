import { Fault } from '../../platform/faults.ts';
import type { AnnotationsAction } from '../../protocol/channels/annotations/schema.ts';
import type { ChatAction, ChatActionOf } from '../../protocol/channels/chat/actions.ts';
import { channelOf } from '../../protocol/channels/index.ts';
import type { RootAction } from '../../protocol/channels/root/schema.ts';
import type { ChangesSummary, SessionAction } from '../../protocol/channels/session/schema.ts';
import type { AnyAction } from '../../protocol/envelope.ts';
import { hasFlag, status } from '../../protocol/status.ts';
import { parseChangesView } from '../../protocol/uris.ts';
import { type AgentRuntime, AgentRuntimes } from '../agents/agentRuntimes.ts';
import { KnownAgents } from '../agents/knownAgents.ts';
import { asking, valuesOf } from '../agents/modes/askingModes.ts';
import { refuseModel, toConfig } from '../agents/sessionConfig.ts';
import { forgetChats, keepChats, readChats, refuseChats, withChats } from '../context/attachedChats.ts';
import { commitSession, hasFinished, turnIdOf } from '../context/chatAccess.ts';
import { type EffectDeps, plainWindow, type Requester } from '../context/effectDeps.ts';
import { workingFolders } from '../context/folders/workingFolders.ts';
import { problemFrom, problemOf, setProblem } from '../context/problems.ts';
import { chatsThatMoved, type DirectoryAction, refuseDirectory } from '../sessions/directories.ts';
import { failDeciding } from '../sessions/failDeciding.ts';
import { HostConfig } from '../sessions/hostConfig.ts';
import { Sessions } from '../sessions/sessions.ts';
import { SummaryNotices } from '../sessions/summaryNotices.ts';
import type { Written } from '../state/store.ts';
import { ActiveClients } from '../tools/activeClients.ts';
import { checkAnnotation } from '../turns/annotations.ts';
import { Customizations } from '../turns/customizations.ts';
import { Turns } from '../turns/turns.ts';
import { type CheckContext, checkChatAction, checkSessionAction } from './checkAction.ts';
import { startNext } from './queue.ts';
import { interrupt, recover } from './recover.ts';
import { stalledQueues } from './stalledQueues.ts';

type SessionActionOf<T extends SessionAction['type']> = Extract<SessionAction, { type: T }>;
type ChatEffects = {
  readonly [T in ChatAction['type']]?: (chat: string, action: ChatActionOf<T>, clientId?: string) => void;
};

/** After these a session may offer other tools than before. */
const changesTools: ReadonlySet<string> = new Set([
  'session/serverToolsChanged',
  'session/activeClientSet',
  'session/activeClientRemoved',
]);

/** What follows a commit, once it is on disk. Every effect comes back as new actions. */
export class Effects {
  readonly sessions: Sessions;
  readonly agents: KnownAgents;
  readonly turns: Turns;
  readonly clients: ActiveClients;
  readonly customizations: Customizations;
  readonly config: HostConfig;
  readonly #deps: EffectDeps;
  readonly #runtimes: AgentRuntimes;
  readonly #notices: SummaryNotices;
  readonly #stop: () => void;

  /** @param askers the windows that are connected now */
  constructor(deps: EffectDeps, askers: () => readonly Requester[]) {
    this.#deps = deps;
    this.config = new HostConfig(deps.store, deps.storage);
    this.agents = new KnownAgents(deps, askers);
    this.#runtimes = new AgentRuntimes(deps, (runtime) => this.#learn(runtime));
    this.customizations = new Customizations(deps, (session) => this.isInUse(session));
    this.turns = new Turns(deps, this.#runtimes, this.customizations, (session) => this.#requireTokens(session));
    this.turns.onIdle(() => this.customizations.left());
    this.#notices = new SummaryNotices(deps, () => this.agents.countSessions());
    this.clients = new ActiveClients(deps);
    this.sessions = new Sessions(deps, this.#runtimes, this.turns, this.agents, this.#notices, this.customizations);
    recover(deps);
    this.#stop = deps.store.onWritten((written) => this.#heard(written));
  }

  /** One row for each action that has consequences. */
  readonly #effects: ChatEffects = {
    'chat/turnStarted': (chat, { turnId, message, queuedMessageId }, clientId) =>
      this.turns.start(chat, turnId, withChats(this.#deps, chat, turnId, message, queuedMessageId), clientId),
    'chat/turnComplete': (chat) => this.#goOn(chat),
    'chat/turnCancelled': (chat, { turnId }) => this.#ended(chat, turnId),
    'chat/error': (chat, { turnId }) => this.#ended(chat, turnId),
    'chat/toolCallConfirmed': (chat, action) => this.turns.confirmed(chat, action),
    'chat/toolCallComplete': (chat, action) => this.turns.stepped(chat, action),
    'chat/toolCallResultConfirmed': (chat, action) => this.turns.stepped(chat, action),
    'chat/truncated': (chat) => void this.#guard(this.turns.cutOff(chat)),
    'chat/inputCompleted': (chat, action) => this.#completed(chat, action),
    'chat/pendingMessageRemoved': (chat) => forgetChats(this.#deps, chat),
    'chat/pendingMessageSet': (chat, { kind, id, message }) => {
      if (this.#deps.store.state('chat', chat)?.activeTurn === undefined) this.#next(chat);
      else if (kind === 'steering') void this.#guard(this.turns.steer(chat, id, message.text));
    },
  };

  /** Why a client's action is refused; `undefined` when it may be committed. */
  check(channel: string, kind: string, action: AnyAction, requester: Requester): string | undefined {
    const { store } = this.#deps;
    if (kind === 'root') return this.config.take(action as Extract<RootAction, { type: 'root/configChanged' }>);
    const session = store.metadata(channel)?.session ?? channel;
    if (kind === 'annotations') return checkAnnotation(this.#deps, session, action as AnnotationsAction);
    const state = store.state('session', session);
    const context: CheckContext = {
      requester,
      session: state,
      isFinished: (turnId) => hasFinished(this.#deps, channel, turnId),
      refuseConfig: (config, replace) => this.sessions.refuseConfig(session, config, replace),
      refuseModel: (model) => refuseModel(this.agents.models(state?.provider), model),
      refuseAgent: (uri) => this.customizations.refuseAgent(session, uri),
      refuseChats: (message) => refuseChats(this.#deps, state, message),
      refuseDirectory: (it) => refuseDirectory(this.#deps, requester, channel, it),
    };
    if (kind === 'session') return checkSessionAction(action as SessionAction, context);
    if (kind !== 'chat') return undefined;
    if (this.sessions.isLeaving(channel)) return 'this chat is being disposed of';
    const chat = store.state('chat', channel);
    const reason = chat && checkChatAction(action as ChatAction, chat, context);
    if (reason === undefined && (action.type === 'chat/turnStarted' || action.type === 'chat/pendingMessageSet')) {
      this.#runtimes.setAsker(session, requester);
      const accepted = action as ChatActionOf<'chat/turnStarted' | 'chat/pendingMessageSet'>;
      const turnId = accepted.type === 'chat/turnStarted' ? accepted.turnId : turnIdOf(accepted.id);
      keepChats(this.#deps, channel, turnId, readChats(this.#deps, accepted.message));
    }
    return reason;
  }

  /** A window said hello again: what it sets and what it pushed count from now on. */
  renewAsker(requester: Requester): void {
    this.#runtimes.renewAsker(requester);
  }

  /** A client is about to subscribe: some channels are made when they are asked for. */
  async offer(channel: string): Promise<void> {
    if (parseChangesView(channel)) await this.#deps.changes.offer(channel);
  }
  /** A client subscribed to a channel. */
  looked(requester: Requester, channel: string): void {
    const kind = channelOf(channel)?.kind;
    if (kind === 'session') {
      this.customizations.look(channel, requester);
      void this.#guard(this.#lookForFolders(channel));
    }
    if (kind === 'changeset')
      void this.#guard(this.#deps.changes.look(channel, (requester.window ?? plainWindow).trusted));
    this.goOn(requester, channel);
  }

  /**
   * Messages that an earlier host left in the queues of `channel` are played once a client subscribes that has the agent,
   * lets agents run and pushed the tokens for it.
   */
  goOn(requester: Requester, channel: string): void {
    for (const chat of stalledQueues(this.#deps, channel)) {
      const session = this.#deps.store.metadata(chat)?.session ?? '';
      if (!this.agents.serves(this.#deps.store.state('session', session)?.provider, requester)) continue;
      this.#runtimes.setAsker(session, requester);
      this.#next(chat);
    }
  }

  /** Says of a session that is opened that its folder is gone, and no more once it is back. */
  async #lookForFolders(session: string): Promise<void> {
    const uris = this.#deps.store.state('session', session)?.workingDirectories ?? [];
    const fault = await workingFolders(uris, false).then(
      () => undefined,
      (thrown: unknown) => {
        if (thrown instanceof Fault) return thrown;
        throw thrown;
      },
    );
    if (fault) setProblem(this.#deps.store, session, problemFrom(fault));
    else if (problemOf(this.#deps.store, session)?.kind === 'folderGone')
      setProblem(this.#deps.store, session, undefined);
  }

  /** A client looks at one channel less. */
  left(): void {
    this.customizations.left();
    this.#deps.changes.sweep();
  }

  /** Channels that have to stay in memory though nobody looks. */
  isInUse(channel: string): boolean {
    return (
      this.turns.isRunning(channel) ||
      (this.#deps.store.state('session', channel)?.chats ?? []).some((it) => this.turns.isRunning(it.resource))
    );
  }

  /** The counts of a session's changes are others now. */
  totalChanged(session: string, changes: ChangesSummary): void {
    this.#deps.store.updateMetadata(session, { changes });
    this.#notices.changed(session);
  }

  /** Ends the turns that run, as interrupted, and closes the agents. */
  async close(): Promise<void> {
    this.#stop();
    await this.customizations.close();
    this.#deps.changes.close();
    for (const chat of this.turns.running) interrupt(this.#deps, chat);
    this.#deps.store.flush();
    await Promise.all([this.#runtimes.closeAll(), this.agents.close()]);
  }

  #heard(written: Written): void {
    const { channel, action, origin, rejectionReason } = written.envelope;
    if (rejectionReason !== undefined || written.only) return;
    const effect = this.#effects[action.type as ChatAction['type']] as
      | ((chat: string, action: AnyAction, clientId?: string) => void)
      | undefined;
    effect?.(channel, action, origin?.clientId);
    if (action.type === 'session/configChanged')
      this.#configure(channel, action as SessionActionOf<'session/configChanged'>);
    if (action.type === 'session/isArchivedChanged') this.#archived(channel);
    if (action.type === 'session/activeClientSet') {
      this.clients.came((action as SessionActionOf<'session/activeClientSet'>).activeClient.clientId, channel);
    }
    // What the host took out itself was followed up there and then.
    if (action.type === 'session/activeClientRemoved' && origin)
      this.clients.removed((action as SessionActionOf<'session/activeClientRemoved'>).clientId, channel);
    for (const chat of chatsThatMoved(this.#deps.store, channel, action as DirectoryAction))
      this.#runtimes.foldersChanged(chat);
    if (changesTools.has(action.type)) this.#runtimes.toolsChanged(channel);
    this.customizations.heard(channel, action as SessionAction, origin !== undefined);
    this.#notices.heard(written);
  }

  /** A turn is played for whoever asked for it last, with what that client pushed. */
  #requireTokens(session: string): void {
    const provider = this.#deps.store.state('session', session)?.provider;
    const requester = this.#runtimes.requester(session);
    if (provider !== undefined) this.agents.requireTokens(provider, requester, session);
  }

  /** What nobody waits for still tells when it fails. */
  async #guard(work: Promise<void>): Promise<void> {
    await work.catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown));
  }

  /** Agents of a session that was put away are let go. */
  #archived(session: string): void {
    const state = this.#deps.store.state('session', session);
    if (!state || !hasFlag(state.status, status.IsArchived)) return;
    for (const { resource } of state.chats) {
      if (!this.turns.isRunning(resource)) void this.#guard(this.#runtimes.close(resource));
    }
  }

  #ended(chat: string, turnId: string): void {
    this.turns.stop(chat, turnId);
    this.#goOn(chat);
  }

  /** A turn is over. */
  #goOn(chat: string): void {
    forgetChats(this.#deps, chat);
    this.#next(chat);
  }

  /** What waits begins, unless the chat is on its way out: nobody would end that turn. */
  #next(chat: string): void {
    if (!this.sessions.isLeaving(chat)) startNext(this.#deps, chat);
  }

  #completed(chat: string, { requestId, response }: ChatActionOf<'chat/inputCompleted'>): void {
    const parts = this.#deps.store.state('chat', chat)?.activeTurn?.responseParts ?? [];
    const part = parts.find((it) => it.kind === 'inputRequest' && it.request.id === requestId);
    const answers = part?.kind === 'inputRequest' ? part.request.answers : undefined;
    this.turns.completed(chat, requestId, { response, answers: answers ?? {} });
  }

  #configure(session: string, { config, replace }: SessionActionOf<'session/configChanged'>): void {
    this.#runtimes.modes.chose(session, config);
    const state = this.#deps.store.state('session', session);
    // An agent that speaks up meanwhile does not take back what was chosen.
    const values = replace === true ? config : { ...state?.config?.values, ...config };
    for (const { resource } of state?.chats ?? []) {
      const agent = this.#runtimes.get(resource)?.agent;
      agent?.configure?.(values).catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown));
    }
  }

  /** An agent said what it offers, perhaps other things than before: no action carries that. */
  #learn({ chat, session, provider, agent, began }: AgentRuntime): void {
    const { store } = this.#deps;
    this.agents.learned(provider.id, agent.options, began);
    const state = store.state('session', session);
    if (!state) return;
    const chosen = () => this.#runtimes.modes.chosen(session, store.state('session', session));
    const options = asking(agent.options, chosen());
    const end = () => {
      failDeciding(this.#deps, chat, provider.displayName);
      return this.#runtimes.close(chat);
    };
    void this.#guard(this.#runtimes.modes.hold(agent, chosen, end));
    const config = toConfig(options, agent.configure ? valuesOf(options) : (state.config?.values ?? {}));
    if (JSON.stringify(config) === JSON.stringify(state.config)) return;
    store.replaceState('session', session, (it) => ({ ...it, config }));
    commitSession(store, session, { type: 'session/ready' }); // mirrors subscribe again
  }
}
