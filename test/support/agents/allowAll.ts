import type { ToolCallState } from '../../../sidecar/protocol/channels/chat/toolCalls.ts';
import type { HostPeer } from '../host/hostPeer.ts';

/** Plays a prompt to its end, and allows whatever is asked, once each. @returns the finished turn */
export async function promptAllowing(peer: HostPeer, chat: string, text: string) {
  const turnId = await peer.prompt(chat, text);
  const allowed = new Set<string>();
  await peer.until(() => {
    for (const { toolCallId } of pending(peer, chat)) {
      if (allowed.has(toolCallId)) continue;
      allowed.add(toolCallId);
      peer.dispatch(chat, {
        type: 'chat/toolCallConfirmed',
        turnId,
        toolCallId,
        approved: true,
        confirmed: 'user-action',
        selectedOptionId: 'allow-once',
      } as never);
    }
    return peer.chat(chat).turns.some((it) => it.id === turnId);
  });
  return peer.ended(chat, turnId);
}

function pending(peer: HostPeer, chat: string): readonly { toolCallId: string }[] {
  const parts = peer.chat(chat).activeTurn?.responseParts ?? [];
  return parts.flatMap((it) => {
    if (it.kind !== 'toolCall') return [];
    const { toolCall } = it as { toolCall: ToolCallState };
    return toolCall.status === 'pending-confirmation' ? [toolCall] : [];
  });
}
