import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import type { AnyAction } from '../../protocol/envelope.ts';
import type { ConnectionLimits } from '../../protocol/limits.ts';

/** The members of chat actions that can grow; their shape was judged before. */
interface Growing {
  readonly type: string;
  readonly kind?: string;
  readonly id?: string;
  readonly message?: Message;
  readonly draft?: Message;
}
interface Message {
  readonly attachments?: readonly unknown[];
}

/** Why an action of a chat is more than its sender may put there, or `undefined`. */
export function refuseGrowth(action: AnyAction, state: ChatState, limits: ConnectionLimits): string | undefined {
  const { type, kind, id, message, draft }: Growing = action;
  if (type === 'chat/pendingMessageSet' && kind === 'queued') {
    const queue = state.queuedMessages ?? [];
    if (queue.length >= limits.queuedMessages && !queue.some((it) => it.id === id))
      return `too many queued messages (limit: ${limits.queuedMessages})`;
  }
  if (draft && JSON.stringify(draft).length > limits.draftCharacters)
    return `draft: must have at most ${limits.draftCharacters} characters`;
  return refuseAttachments('message', message, limits) ?? refuseAttachments('draft', draft, limits);
}

/** @param member where the message stands, for people */
export function refuseAttachments(
  member: string,
  message: Message | undefined,
  { attachments }: ConnectionLimits,
): string | undefined {
  if ((message?.attachments?.length ?? 0) <= attachments) return undefined;
  return `${member}.attachments: must have at most ${attachments} entries`;
}
