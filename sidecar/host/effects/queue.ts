import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import { commitChat, hasFinished, turnIdOf } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/**
 * Starts the next turn of an idle chat, when a message waits for it: the steering message that no turn took first, so
 * that it is not lost, then the queue. The id of the message makes the id of its turn, unless a client gave a turn of its
 * own that id (host.turn.id-once).
 */
export function startNext(deps: Pick<EffectDeps, 'store' | 'storage' | 'now' | 'newId'>, chat: string): void {
  const state = deps.store.state('chat', chat);
  if (!state || state.activeTurn) return;
  const next = nextMessage(state);
  if (!next) return;
  const { kind, id, message } = next;
  commitChat(deps.store, chat, { type: 'chat/pendingMessageRemoved', kind, id });
  commitChat(deps.store, chat, {
    type: 'chat/turnStarted',
    turnId: hasFinished(deps, chat, turnIdOf(id)) ? deps.newId() : turnIdOf(id),
    startedAt: deps.now(),
    message,
    queuedMessageId: id,
  });
}

function nextMessage(state: ChatState) {
  if (state.steeringMessage) return { kind: 'steering', ...state.steeringMessage } as const;
  const first = state.queuedMessages?.[0];
  return first && ({ kind: 'queued', ...first } as const);
}
