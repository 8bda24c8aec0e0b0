import { removeWhere, setOrClear, upsertBy } from '../../collections.ts';
import type { ChatActionOf } from './actions.ts';
import type { ChatState, PendingMessage, PendingMessageKind } from './schema.ts';

/** A chat has one slot for a steering message, and a list of queued ones (`host.action.chat/pendingMessageSet`). */
export function setPending(state: ChatState, action: ChatActionOf<'chat/pendingMessageSet'>): ChatState {
  const entry: PendingMessage = { id: action.id, message: action.message };
  if (action.kind === 'steering') return setOrClear(state, 'steeringMessage', entry);
  return setOrClear(
    state,
    'queuedMessages',
    upsertBy(state.queuedMessages ?? [], entry, (it) => it.id),
  );
}

export function removePending(state: ChatState, kind: PendingMessageKind, id: string): ChatState {
  if (kind === 'steering') {
    return state.steeringMessage?.id === id ? setOrClear(state, 'steeringMessage', undefined) : state;
  }
  const queue = state.queuedMessages;
  if (!queue) return state;
  const left = removeWhere(queue, (it) => it.id === id);
  if (left === queue) return state;
  return setOrClear(state, 'queuedMessages', left.length === 0 ? undefined : left);
}

/** Unknown and repeated ids count for nothing; who is not named keeps its place at the end. */
export function reorderQueue(state: ChatState, order: readonly string[]): ChatState {
  const queue = state.queuedMessages;
  if (!queue) return state;
  const named = [...new Set(order)].flatMap((id) => queue.find((it) => it.id === id) ?? []);
  const next = [...named, ...queue.filter((it) => !named.includes(it))];
  return next.every((it, at) => it === queue[at]) ? state : { ...state, queuedMessages: next };
}
