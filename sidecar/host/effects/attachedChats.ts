import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { Message, MessageAttachment } from '../../protocol/shared.ts';
import { transcriptOf } from '../../protocol/transcript.ts';
import { hasFinished } from './chatAccess.ts';
import { finishedTurns, turnsThrough } from './chatSources.ts';
import type { EffectDeps } from './effectDeps.ts';

type Deps = Pick<EffectDeps, 'store' | 'storage'>;

/**
 * Why a message may not attach the chats that it does: only chats of its session, up to a finished turn (host-completion 4.4).
 * @param member of the action or the params that the message is
 */
export function refuseChats(
  deps: Deps,
  session: SessionState | undefined,
  message: Message,
  member: 'message' | 'initialMessage' = 'message',
): string | undefined {
  for (const [at, it] of (message.attachments ?? []).entries()) {
    if (it.type !== 'chat') continue;
    if (!session?.chats.some(({ resource }) => resource === it.resource))
      return `${member}.attachments.${at}.resource: there is no such chat in this session`;
    if (!hasFinished(deps, it.resource, it.endTurn))
      return `${member}.attachments.${at}.endTurn: there is no such finished turn in that chat`;
  }
  return undefined;
}

/** Chats that a message attaches, as text that any agent reads; of the others nothing changes. */
export function withChats(deps: Deps, message: Message): Message {
  if (!message.attachments?.some((it) => it.type === 'chat')) return message;
  return { ...message, attachments: message.attachments.map((it) => toText(deps, it)) };
}

function toText(deps: Deps, attachment: MessageAttachment): MessageAttachment {
  if (attachment.type !== 'chat') return attachment;
  const { label, resource, endTurn } = attachment;
  // A message that waited may find its turn taken back.
  const turns = turnsThrough(deps, resource, endTurn) ?? finishedTurns(deps, resource);
  return { type: 'simple', label, modelRepresentation: transcriptOf(turns) };
}
