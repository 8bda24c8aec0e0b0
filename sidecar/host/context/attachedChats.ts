import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import type { Message, MessageAttachment } from '../../protocol/shared.ts';
import { transcriptOf } from '../../protocol/transcript.ts';
import { hasFinished, turnIdOf } from './chatAccess.ts';
import { finishedTurns, turnsThrough } from './chatSources.ts';
import type { EffectDeps } from './effectDeps.ts';

type Deps = Pick<EffectDeps, 'store' | 'storage'>;

/** What was said in the chats that a message attaches, by the place of each attachment. */
export type AttachedTexts = ReadonlyMap<number, string>;

/**
 * Why a message may not attach certain chats. It can attach chats of any session, up to a finished turn.
 * @param member of the action or the params that the message is
 */
export function refuseChats(
  deps: Deps,
  message: Message,
  member: 'message' | 'initialMessage' = 'message',
): string | undefined {
  for (const [at, it] of (message.attachments ?? []).entries()) {
    if (it.type !== 'chat') continue;
    if (!deps.store.state('chat', it.resource)) return `${member}.attachments.${at}.resource: chat not found`;
    if (it.endTurn === undefined) {
      if (finishedTurns(deps, it.resource).length > 0) continue;
      return `${member}.attachments.${at}.resource: the chat has no finished turn`;
    }
    if (!hasFinished(deps, it.resource, it.endTurn))
      return `${member}.attachments.${at}.endTurn: finished turn not found in that chat`;
  }
  return undefined;
}

/** What the chats that a message attaches say now. Each is bounded, as every transcript is. */
export function readChats(deps: Deps, message: Message): AttachedTexts {
  const texts = new Map<number, string>();
  for (const [at, it] of (message.attachments ?? []).entries()) {
    if (it.type !== 'chat') continue;
    const { resource, endTurn } = it;
    const turns = endTurn === undefined ? finishedTurns(deps, resource) : turnsThrough(deps, resource, endTurn);
    texts.set(at, transcriptOf(turns ?? []));
  }
  return texts;
}

/**
 * Keeps what an accepted message attaches: what becomes of the source afterwards changes nothing
 * (host.message.attached-chats).
 * @param turnId of the turn that the message starts, or will start
 */
export function keepChats(deps: Deps, chat: string, turnId: string, texts: AttachedTexts): void {
  const { store, storage } = deps;
  if (texts.size === 0) return;
  store.writeRows(() => {
    // A tick that could not be written is tried again without what clients sent.
    if (turnsToCome(store.state('chat', chat)).has(turnId)) storage.chats.putAttached(chat, turnId, texts);
  });
}

/** Forgets what was kept for messages that neither wait nor are answered now. */
export function forgetChats({ store, storage }: Deps, chat: string): void {
  if (!store.has(chat) || storage.chats.attaching(chat).length === 0) return;
  store.writeRows(() => {
    const wanted = turnsToCome(store.state('chat', chat));
    for (const it of storage.chats.attaching(chat)) if (!wanted.has(it)) storage.chats.removeAttached(chat, it);
  });
}

/**
 * Chats that a message attaches, as text that any agent reads; of the others nothing changes.
 * @param queuedMessageId of a message that waited: its turn may have another id than it was kept under
 */
export function withChats(
  deps: Deps,
  chat: string,
  turnId: string,
  message: Message,
  queuedMessageId?: string,
): Message {
  const { attachments } = message;
  if (!attachments?.some((it) => it.type === 'chat')) return message;
  const { chats } = deps.storage;
  const own = chats.attached(chat, turnId);
  const kept = own.size > 0 || queuedMessageId === undefined ? own : chats.attached(chat, turnIdOf(queuedMessageId));
  return { ...message, attachments: attachments.map((it, at) => toText(deps, it, kept.get(at))) };
}

/** @param kept absent where the message was accepted before such texts were kept */
function toText(deps: Deps, attachment: MessageAttachment, kept: string | undefined): MessageAttachment {
  if (attachment.type !== 'chat') return attachment;
  const { label, resource } = attachment;
  return { type: 'simple', label, modelRepresentation: kept ?? transcriptOf(finishedTurns(deps, resource)) };
}

/** The turns of a chat that run or wait. */
function turnsToCome(state: ChatState | undefined): ReadonlySet<string> {
  const waiting = [...(state?.queuedMessages ?? []), ...(state?.steeringMessage ? [state.steeringMessage] : [])];
  const turns = waiting.map((it) => turnIdOf(it.id));
  return new Set(state?.activeTurn ? [...turns, state.activeTurn.id] : turns);
}
