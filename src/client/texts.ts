import type { ChatInputRequest } from '../../sidecar/protocol/channels/chat/inputRequests.ts';
import type { SessionChatSummary, SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type { FileEdit } from '../../sidecar/protocol/shared.ts';
import { visibleText } from '../../sidecar/protocol/visibleText.ts';

/** The last segment of a URI, decoded for people; the URI itself where it has none. */
export function fileName(uri: string): string {
  const last = uri.slice(uri.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last) || uri;
  } catch {
    return last; // a lone `%` in a name that was never encoded
  }
}

export function countLines(edits: readonly FileEdit[]): { readonly added: number; readonly removed: number } {
  return {
    added: edits.reduce((sum, it) => sum + (it.diff?.added ?? 0), 0),
    removed: edits.reduce((sum, it) => sum + (it.diff?.removed ?? 0), 0),
  };
}

/** What an agent asks, in one line: of several questions, what they are about, or the first one and how many more there are. */
export function askedText({
  message,
  questions = [],
}: Pick<ChatInputRequest, 'message' | 'questions'>): string | undefined {
  const line = (message ?? questions[0]?.message)?.trim().split('\n', 1)[0];
  return message === undefined && questions.length > 1 ? `${line} (+${questions.length - 1})` : line;
}

/** A text with a name, for the agent that continues another one's work. */
export interface AddedPart {
  readonly label: string;
  readonly text: string;
  readonly displayKind: 'transcript' | 'document';
}

/** The chats of sub-agents, oldest first. */
export function subAgentsOf({ chats = [] }: Pick<SessionSummary, 'chats'>): readonly SessionChatSummary[] {
  return chats.filter((it) => it.origin?.kind === 'tool' && it.interactivity !== 'hidden');
}

/** The name of the sub-agent that a chat of the session belongs to; empty for every other chat. */
export function subAgentName(session: Pick<SessionSummary, 'chats'>, chat: string): string {
  return visibleText(subAgentsOf(session).find((it) => it.resource === chat)?.title ?? '');
}

/** `Session › Sub-agent`, or the title alone. */
export function withSubAgent(title: string, name: string): string {
  return [title, name].filter((it) => it !== '').join(' › ');
}
