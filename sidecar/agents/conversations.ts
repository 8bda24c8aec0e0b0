import type { CloudMeta } from '../protocol/channels/session/cloudMeta.ts';
import type { SessionContext, TurnEvent } from './provider.ts';

/** A conversation that an agent keeps. It may have begun in another program. */
export interface KeptConversation {
  /** Of the agent. */
  readonly id: string;
  readonly title: string;
  /** What else tells it from others, for a person. */
  readonly detail?: string;
  /** ISO 8601. */
  readonly updatedAt?: string;
}

/** What was said before, as the agent says it. */
export interface EarlierTurn {
  /** Of the person. Empty where the agent began. */
  readonly text: string;
  readonly events: readonly TurnEvent[];
}

export interface ReadConversation {
  /** The {@link SessionContext.resumeId} with which the agent goes on. */
  readonly resumeId: string;
  /** Oldest first. Empty: the agent goes on without saying what was said before. */
  readonly turns: readonly EarlierTurn[];
  readonly cloud?: CloudMeta;
}

export interface ConversationPlace {
  /** Where its process starts. */
  readonly context: SessionContext;
  /** To which the conversations belong. Absolute. Absent: no folder is open. */
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
  /** Known without opening it. Absent: in the options of the opened agent. */
  readonly abilities?: ConversationAbilities;
  /** Those of a folder, or of an account. Newest first, where the agent says when. */
  list(place: ConversationPlace, signal: AbortSignal): Promise<readonly KeptConversation[]>;
  read(place: ConversationPlace, id: string, signal: AbortSignal): Promise<ReadConversation>;
  delete(place: ConversationPlace, id: string, signal: AbortSignal): Promise<void>;
  /** Which one an agent goes on with. */
  idOf(resumeId: string): Promise<string | undefined>;
}
