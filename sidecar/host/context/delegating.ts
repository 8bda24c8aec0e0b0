import type { DelegatedReport, DelegatedTask } from '../../agents/delegation.ts';
import type { ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import type { Message } from '../../protocol/shared.ts';

export type SubAgentContent = Extract<ToolResultContent, { type: 'subagent' }>;

/** A task of the agent of a chat, for another conversation with it. */
export interface Delegation {
  readonly session: string;
  /** Whose agent delegates. */
  readonly chat: string;
  readonly task: DelegatedTask;
  /** Whom the person chose for the message that is being answered: the sub-agent is held to the same. */
  readonly customAgent: Message['agent'];
  readonly signal: AbortSignal;
  /** Told when the sub-agent has a chat, and again when its turn is over. */
  readonly shows: (content: SubAgentContent) => void;
}

/** Plays the task in a chat of its own. @throws as `TurnHost.delegate` */
export type Delegate = (delegation: Delegation) => Promise<DelegatedReport>;
