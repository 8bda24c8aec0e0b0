import { channels } from '../../protocol/channels/index.ts';
import type { ChangesSummary } from '../../protocol/channels/session/schema.ts';
import type { AnyAction } from '../../protocol/envelope.ts';
import { AgentRuntimes } from '../agents/agentRuntimes.ts';
import { KnownAgents } from '../agents/knownAgents.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import { Sessions } from '../sessions/sessions.ts';
import { SummaryNotices } from '../sessions/summaryNotices.ts';
import type { Written } from '../state/store.ts';
import { ActiveClients } from '../tools/activeClients.ts';
import { Customizations } from '../turns/customizations.ts';
import { Turns } from '../turns/turns.ts';
import type { HandlerDeps } from './handlerDeps.ts';
import type { ChannelHandlers, Sender } from './handlers/channelHandler.ts';
import { handlerOf, openHandlers } from './handlers/channelHandlers.ts';
import { learnOptions } from './learnOptions.ts';
import { resumeParked, resumeQueues } from './queue.ts';
import { interrupt, recover } from './recover.ts';

/**
 * Hands what happens to a channel to the handler of its kind: each action before and after its commit, and clients that
 * come and go. Every effect comes back as new actions.
 */
export class Effects implements HandlerDeps {
  readonly effectDeps: EffectDeps;
  readonly config: HandlerDeps['config'];
  readonly terminals: HandlerDeps['terminals'];
  readonly resources: HandlerDeps['resources'];
  readonly agents: KnownAgents;
  readonly runtimes: AgentRuntimes;
  readonly customizations: Customizations;
  readonly turns: Turns;
  readonly clients: ActiveClients;
  readonly sessions: Sessions;
  readonly #handlers: ChannelHandlers;
  readonly #notices: SummaryNotices;
  readonly #stop: () => void;

  /** @param requesters the windows that are connected now */
  constructor(
    {
      effectDeps,
      config,
      terminals,
      resources,
    }: Pick<HandlerDeps, 'effectDeps' | 'config' | 'terminals' | 'resources'>,
    requesters: () => readonly Requester[],
  ) {
    this.effectDeps = effectDeps;
    this.config = config;
    this.terminals = terminals;
    this.resources = resources;
    this.agents = new KnownAgents(effectDeps, requesters);
    this.runtimes = new AgentRuntimes(effectDeps, (runtime) => learnOptions(this, runtime));
    this.customizations = new Customizations(effectDeps, (session) => this.isInUse(session));
    this.turns = new Turns(effectDeps, this.runtimes, this.customizations, {
      requireTokens: (session) => this.#requireTokens(session),
      delegate: (it) => this.sessions.delegate(it),
    });
    this.turns.onIdle(() => this.customizations.releaseUnwatched());
    this.#notices = new SummaryNotices(effectDeps, () => this.agents.countSessions());
    this.clients = new ActiveClients(effectDeps);
    this.sessions = new Sessions(
      effectDeps,
      this.runtimes,
      this.turns,
      this.agents,
      this.#notices,
      this.customizations,
    );
    this.#handlers = openHandlers(this);
    recover(effectDeps);
    this.#stop = effectDeps.store.onWritten((written) => this.#onCommitted(written));
    effectDeps.parking.begin((chat) => resumeParked(this, requesters(), chat));
  }

  /** Why a client's action is refused; `undefined` when it may be committed. */
  check(channel: string, action: AnyAction, sender: Sender): string | undefined {
    return handlerOf(this.#handlers, channel)?.check?.(channel, action, sender);
  }

  /** A client is about to subscribe: some channels are made when they are asked for. */
  async ensureChannel(channel: string): Promise<void> {
    await handlerOf(this.#handlers, channel)?.ensure?.(channel);
  }
  onSubscribed(client: Requester, channel: string): void {
    handlerOf(this.#handlers, channel)?.subscribed?.(channel, client);
  }
  onUnsubscribed(client: Requester, channel: string): void {
    handlerOf(this.#handlers, channel)?.unsubscribed?.(channel, client);
    this.#releaseUnwatched();
  }
  /** @param isThere whether the client came back meanwhile, and subscribed to the channel again */
  onClosed(client: Requester, isThere: (channel: string) => boolean): void {
    this.#releaseUnwatched();
    for (const { kind } of channels) this.#handlers[kind].closed?.(client, isThere);
  }

  /** A client pushed tokens: what waits in the queues of a channel may have waited for them. */
  resumeQueue(client: Requester, channel: string): void {
    resumeQueues(this, channel, client);
  }

  /** The handshake was repeated: what the window sets and what it pushed count from now on. */
  renewRequester(requester: Requester): void {
    this.runtimes.renewRequester(requester);
  }

  /** Channels that have to stay in memory though nobody looks. */
  isInUse(channel: string): boolean {
    const chats = this.effectDeps.store.state('session', channel)?.chats ?? [];
    return this.turns.isRunning(channel) || chats.some((it) => this.turns.isRunning(it.resource));
  }

  /** The counts of a session's changes are others now. */
  onTotalChanged(session: string, changes: ChangesSummary): void {
    this.effectDeps.store.updateMetadata(session, { changes });
    this.#notices.changed(session);
  }

  /** In how many chats an agent works right now. */
  workingChats(provider: string): number {
    return this.turns.running.filter((it) => this.runtimes.get(it)?.provider.id === provider).length;
  }
  /** Whatever runs of an agent ends. */
  async letGo(provider: string): Promise<void> {
    await Promise.all([this.runtimes.closeOf(provider), this.agents.letGo(provider)]);
  }

  /** Ends the turns that run, as interrupted, and closes the agents. */
  async close(): Promise<void> {
    this.#stop();
    this.effectDeps.parking.end();
    await this.customizations.close();
    this.effectDeps.changes.close();
    for (const chat of this.turns.running) interrupt(this.effectDeps, chat);
    this.effectDeps.store.flush();
    await Promise.all([this.runtimes.closeAll(), this.agents.close()]);
  }

  #onCommitted(written: Written): void {
    const { channel, action, origin, rejectionReason } = written.envelope;
    if (rejectionReason !== undefined || written.only) return;
    handlerOf(this.#handlers, channel)?.committed?.[action.type]?.(channel, action, origin, written.after);
    this.#notices.onCommitted(written);
  }

  #releaseUnwatched(): void {
    this.customizations.releaseUnwatched();
    this.effectDeps.changes.sweep();
  }

  /** A turn is played for whoever asked for it last, with what that client pushed. */
  #requireTokens(session: string): void {
    const provider = this.effectDeps.store.state('session', session)?.provider;
    const requester = this.runtimes.requester(session);
    if (provider !== undefined) this.agents.requireTokens(provider, requester, session);
  }
}
