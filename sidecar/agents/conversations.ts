import type { CloudMeta } from '../protocol/channels/session/cloudMeta.ts';
import type { SessionContext, TurnEvent } from './provider.ts';

/** A conversation that an agent keeps. It may have begun in another program. */
export interface KeptConversation {
  /** Of the agent. */
  readonly id: string;
  readonly title: string;
  /** Of an agent in the cloud. */
  readonly cloud?: CloudMeta;
  /** ISO 8601. */
  readonly updatedAt?: string;
}

/** A turn of a conversation, as the agent reports it. */
export interface EarlierTurn {
  /** The person's message. Empty if the agent began. */
  readonly text: string;
  readonly events: readonly TurnEvent[];
}

export interface ReadConversation {
  /** The {@link SessionContext.resumeId} with which the agent continues it. */
  readonly resumeId: string;
  /** Oldest first. Empty if the agent continues without reporting the earlier turns. */
  readonly turns: readonly EarlierTurn[];
  readonly cloud?: CloudMeta;
}

export interface ConversationPlace {
  /** Where its process starts. */
  readonly context: SessionContext;
  /** The folder of the conversations. Absolute. Absent if no folder is open. */
  readonly folder: string | undefined;
}

/** What can be done with the conversations that an agent keeps. */
export interface ConversationAbilities {
  readonly deletes: boolean;
}

/**
 * The conversations that an agent keeps. Each method starts the agent if it has a process, and ends it again. All throw a
 * {@link Fault} with a message for a person.
 */
export interface AgentConversations {
  /** Known without opening the agent. If absent, the options of the opened agent have them. */
  readonly abilities?: ConversationAbilities;
  /** Those of a folder, or of an account. Newest first, if the agent reports times. */
  list(place: ConversationPlace, signal: AbortSignal): Promise<readonly KeptConversation[]>;
  read(place: ConversationPlace, id: string, signal: AbortSignal): Promise<ReadConversation>;
  delete(place: ConversationPlace, id: string, signal: AbortSignal): Promise<void>;
  /** The conversation that an agent continues with this {@link SessionContext.resumeId}. */
  idOf(resumeId: string): Promise<string | undefined>;
}
