import type { AgentConversations } from '../../../agents/conversations.ts';
import { Fault } from '../../../platform/faults.ts';
import { CLOUD_META } from '../../../protocol/channels/session/cloudMeta.ts';
import type { Params, Result } from '../../../protocol/methods.ts';
import type { KnownAgents } from '../../agents/knownAgents.ts';
import type { EffectDeps, Requester } from '../../context/effectDeps.ts';
import type { Sessions } from '../sessions.ts';
import { earlierTurns } from './earlierTurns.ts';

export interface ElsewhereDeps extends Pick<EffectDeps, 'store' | 'storage' | 'secrets' | 'clock' | 'newId'> {
  readonly agents: Pick<KnownAgents, 'withConversations'>;
  readonly sessions: Pick<Sessions, 'create' | 'endTurns'>;
}

/** Conversations that agents keep and that began elsewhere: in another program, or on another machine. */
export class Elsewhere {
  readonly #deps: ElsewhereDeps;

  constructor(deps: ElsewhereDeps) {
    this.#deps = deps;
  }

  /** Those with which no session goes on. @throws {Fault} of {@link KnownAgents.withConversations} */
  async list(
    { provider, workingDirectory }: Params<'x-switchboard/conversations'>,
    requester: Requester,
  ): Promise<Result<'x-switchboard/conversations'>> {
    const items = await this.#deps.agents.withConversations(
      provider,
      requester,
      workingDirectory,
      async (kept, place, signal) => {
        const all = await kept.list(place, signal);
        const known = this.#known(kept);
        return all.filter((it) => !known.has(it.id));
      },
    );
    return { items: items.map((it) => ({ ...it })) };
  }

  /**
   * Makes a session that goes on with a conversation. Its turns are what the agent says of them.
   * @throws {Fault} as above, `not_found` for a conversation that the agent does not list, and of {@link Sessions.create}
   */
  async open(
    { provider, workingDirectory, id, session }: Params<'x-switchboard/conversationOpen'>,
    requester: Requester,
  ): Promise<void> {
    const { agents, sessions, secrets, clock, newId } = this.#deps;
    const [listed, { resumeId, turns, cloud }] = await agents.withConversations(
      provider,
      requester,
      workingDirectory,
      async (kept, place, signal) => {
        if (this.#known(kept).has(id)) throw new Fault('already_exists', 'A session continues this one already.');
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
   * The agent deletes the conversations of a session's chats. The session stays, and forgets them.
   * @throws {Fault} `session_not_found`, and of {@link KnownAgents.withConversations}
   */
  async delete({ channel }: Params<'x-switchboard/conversationDelete'>, requester: Requester): Promise<void> {
    const { agents, sessions, store, storage } = this.#deps;
    const state = store.state('session', channel);
    if (!state) throw new Fault('session_not_found', 'session not found');
    const [folder] = state.workingDirectories ?? [];
    await sessions.endTurns(channel);
    await agents.withConversations(state.provider, requester, folder, async (kept, place, signal) => {
      for (const { resource } of state.chats) {
        const resumeId = storage.small.resumeId(resource);
        const id = resumeId === undefined ? undefined : kept.idOf(resumeId);
        if (id === undefined) continue;
        await kept.delete(place, id, signal);
        store.writeRows(() => storage.small.removeResumeId(resource));
      }
    });
    await store.settled();
  }

  /** Those with which sessions go on. */
  #known(kept: AgentConversations): ReadonlySet<string | undefined> {
    return new Set(this.#deps.storage.small.resumeIds().map((it) => kept.idOf(it)));
  }
}
