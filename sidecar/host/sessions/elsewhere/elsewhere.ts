import type { AgentConversations, ConversationPlace } from '../../../agents/conversations.ts';
import type { RemoteService } from '../../../agents/remoteAccess.ts';
import { Fault } from '../../../platform/faults.ts';
import { CLOUD_META } from '../../../protocol/channels/session/cloudMeta.ts';
import type { Params, Result } from '../../../protocol/methods.ts';
import { OPEN_LIMIT_MS } from '../../agents/agentRuntimes.ts';
import type { KnownAgents } from '../../agents/knownAgents.ts';
import { type EffectDeps, plainWindow, type Requester } from '../../context/effectDeps.ts';
import type { Sessions } from '../sessions.ts';
import { earlierTurns } from './earlierTurns.ts';

export interface ElsewhereDeps
  extends Pick<
    EffectDeps,
    'store' | 'storage' | 'secrets' | 'clock' | 'newId' | 'providers' | 'sessionTools' | 'timers'
  > {
  readonly agents: Pick<KnownAgents, 'find' | 'requireTokens' | 'outside'>;
  readonly sessions: Pick<Sessions, 'create' | 'endTurns'>;
}

type Own = 'agents' | 'sessions';

export function elsewhereOf(deps: Omit<ElsewhereDeps, Own>, { agents, sessions }: Pick<ElsewhereDeps, Own>): Elsewhere {
  return new Elsewhere({ ...deps, agents, sessions });
}

/** Conversations that agents keep and that began elsewhere: in another program, or on another machine. */
export class Elsewhere {
  readonly #deps: ElsewhereDeps;

  constructor(deps: ElsewhereDeps) {
    this.#deps = deps;
  }

  /** The conversations that no session continues. @throws {Fault} of {@link Elsewhere.#within} */
  async list(
    { provider, workingDirectory }: Params<'x-switchboard/conversations'>,
    requester: Requester,
  ): Promise<Result<'x-switchboard/conversations'>> {
    const items = await this.#within(provider, requester, workingDirectory, async (kept, place, signal) => {
      const all = await kept.list(place, signal);
      const known = await this.#known(kept);
      return all.filter((it) => !known.has(it.id));
    });
    return { items: items.map((it) => ({ ...it })) };
  }

  /**
   * Creates a session that continues a conversation, with the turns that the agent reports.
   * @throws {Fault} as above, `not_found` for a conversation that the agent does not list, and of {@link Sessions.create}
   */
  async open(
    { provider, workingDirectory, id, session }: Params<'x-switchboard/conversationOpen'>,
    requester: Requester,
  ): Promise<void> {
    const { sessions, secrets, clock, newId } = this.#deps;
    const [listed, { resumeId, turns, cloud }] = await this.#within(
      provider,
      requester,
      workingDirectory,
      async (kept, place, signal) => {
        if ((await this.#known(kept)).has(id))
          throw new Fault('already_exists', 'A session continues this one already.');
        const found = (await kept.list(place, signal)).find((it) => it.id === id);
        if (!found) throw new Fault('not_found', 'The agent no longer has this session.');
        return [found, await kept.read(place, id, signal)] as const;
      },
    );
    const begun = {
      title: listed.title,
      turns: secrets.within(earlierTurns(turns, listed.updatedAt ?? clock.now(), newId)),
      resumeId,
      ...(cloud && { meta: { [CLOUD_META]: cloud } }),
    };
    const folders = workingDirectory === undefined ? {} : { workingDirectories: [workingDirectory] };
    await sessions.create({ channel: session, provider, ...folders }, requester, begun);
  }

  /**
   * Has the agent delete the conversations of a session's chats. The session stays, without them.
   * @throws {Fault} `session_not_found`, and of {@link Elsewhere.#within}
   */
  async delete({ channel }: Params<'x-switchboard/conversationDelete'>, requester: Requester): Promise<void> {
    const { sessions, store, storage } = this.#deps;
    const state = store.state('session', channel);
    if (!state) throw new Fault('session_not_found', 'session not found');
    const [folder] = state.workingDirectories ?? [];
    await sessions.endTurns(channel);
    await this.#within(state.provider, requester, folder, async (kept, place, signal) => {
      for (const { resource } of state.chats) {
        const resumeId = storage.small.resumeId(resource);
        const id = resumeId === undefined ? undefined : await kept.idOf(resumeId);
        if (id === undefined) continue;
        await kept.delete(place, id, signal);
        store.writeRows(() => storage.small.removeResumeId(resource));
      }
    });
    await store.settled();
  }

  /** The conversations that sessions continue. */
  async #known(kept: AgentConversations): Promise<ReadonlySet<string | undefined>> {
    return new Set(await Promise.all(this.#deps.storage.small.resumeIds().map((it) => kept.idOf(it))));
  }

  /**
   * Works with the conversations that an agent keeps, with a key of its own for what the agent reaches through the gateway.
   * @throws {Fault} `not_trusted`, `provider_not_found`, `auth_required`, `unavailable`, and of the agent
   */
  async #within<T>(
    provider: string,
    requester: Requester,
    workingDirectory: string | undefined,
    work: (conversations: AgentConversations, place: ConversationPlace, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { agents, providers, sessionTools, timers, newId } = this.#deps;
    const window = requester.window ?? plainWindow;
    if (!window.trusted) throw new Fault('not_trusted', 'Trust this folder to run agents.');
    const found = providers(window).find((it) => it.id === agents.find(requester, provider));
    if (!found?.conversations)
      throw new Fault('unavailable', `${found?.displayName ?? provider} does not list its sessions.`);
    agents.requireTokens(provider, requester);
    const asker = newId();
    const limit = new AbortController();
    const stop = timers.after(OPEN_LIMIT_MS, () => limit.abort());
    try {
      const { context, folder } = await agents.outside(found, requester, workingDirectory);
      const remote = (service: RemoteService) => sessionTools.agents(asker, asker, service);
      return await work(found.conversations, { context: { ...context, remote }, folder }, limit.signal);
    } catch (thrown) {
      if (!limit.signal.aborted) throw thrown;
      const message = `${found.displayName} did not respond within ${OPEN_LIMIT_MS / 1000} seconds.`;
      throw new Fault('unavailable', message, { cause: thrown });
    } finally {
      stop();
      await sessionTools.close(asker);
    }
  }
}
