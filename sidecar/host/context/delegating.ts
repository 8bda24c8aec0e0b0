import type { DelegatedReport, DelegatedTask } from '../../agents/delegation.ts';
import type { ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import type { Message } from '../../protocol/shared.ts';

export type SubAgentContent = Extract<ToolResultContent, { type: 'subagent' }>;

/** A task that the agent of a chat gives to a sub-agent. */
export interface Delegation {
  readonly session: string;
  /** The chat whose agent delegates. */
  readonly chat: string;
  readonly task: DelegatedTask;
  /** The one that the person chose for the current message. It applies to the sub-agent, too. */
  readonly customAgent: Message['agent'];
  readonly signal: AbortSignal;
  /** Called when the sub-agent has a chat, and again when its turn is over. */
  readonly shows: (content: SubAgentContent) => void;
}

/** Plays the task in a chat of its own. @throws as `TurnHost.delegate` */
export type Delegate = (delegation: Delegation) => Promise<DelegatedReport>;
