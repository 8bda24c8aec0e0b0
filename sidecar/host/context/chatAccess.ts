import type { ChatAction } from '../../protocol/channels/chat/actions.ts';
import type { ActiveTurn } from '../../protocol/channels/chat/schema.ts';
import type { ToolCallState } from '../../protocol/channels/chat/toolCalls.ts';
import type { SessionAction } from '../../protocol/channels/session/schema.ts';
import type { Store } from '../state/store.ts';
import type { EffectDeps } from './effectDeps.ts';

export function commitChat(store: Store, chat: string, action: ChatAction): void {
  store.commit(chat, action);
}
/** @param held whether it is tried again when the disk is full */
export function commitSession(store: Store, session: string, action: SessionAction, held = true): void {
  store.commit(session, action, undefined, held);
}
/** Sets one value in `_meta` of a session, or removes it. @param held as in {@link commitSession} */
export function commitMeta(store: Store, session: string, key: string, value: unknown, held = true): void {
  const { [key]: _before, ...others } = store.state('session', session)?._meta ?? {};
  const meta = value === undefined ? others : { ...others, [key]: value };
  const isEmpty = Object.keys(meta).length === 0;
  commitSession(store, session, { type: 'session/metaChanged', ...(!isEmpty && { _meta: meta }) }, held);
}

/** Whether a turn is among the finished ones of a chat, on disk or in memory. */
export function hasFinished(
  { store, storage }: Pick<EffectDeps, 'store' | 'storage'>,
  chat: string,
  turnId: string,
): boolean {
  if (storage.chats.numberOfTurn(chat, turnId) !== undefined) return true;
  return store.state('chat', chat)?.turns.some((it) => it.id === turnId) === true;
}
/** The turn that a message from the queue becomes. */
export function turnIdOf(messageId: string): string {
  return `from-${messageId}`;
}

/** The active turn of a chat, where it is the turn `turnId`. */
export function activeTurn(store: Store, chat: string, turnId: string): ActiveTurn | undefined {
  const turn = store.state('chat', chat)?.activeTurn;
  return turn?.id === turnId ? turn : undefined;
}
export function toolCallOf(turn: ActiveTurn | undefined, toolCallId: string): ToolCallState | undefined {
  for (const part of turn?.responseParts ?? []) {
    if (part.kind === 'toolCall' && part.toolCall.toolCallId === toolCallId) return part.toolCall;
  }
  return undefined;
}
