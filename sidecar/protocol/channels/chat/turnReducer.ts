import { setOrClear, without } from '../../collections.ts';
import { status, withActivity } from '../../status.ts';
import type { ChatActionOf } from './actions.ts';
import { modified, unread, withStatus } from './chatStatus.ts';
import { removePending } from './pendingReducer.ts';
import type { ActiveTurn, ChatState, ResponsePart, Turn } from './schema.ts';
import { skipCall } from './toolCallParts.ts';

/** Unconditional: whether a turn may start is the host's decision before it commits. */
export function startTurn(state: ChatState, action: ChatActionOf<'chat/turnStarted'>, now: string): ChatState {
  const { turnId: id, startedAt = now, message, queuedMessageId } = action;
  const activeTurn: ActiveTurn = { id, startedAt, message, responseParts: [] };
  const started = modified(unread(withStatus(setOrClear(state, 'activeTurn', activeTurn))), now);
  if (queuedMessageId === undefined) return started;
  return removePending(removePending(started, 'steering', queuedMessageId), 'queued', queuedMessageId);
}

type EndAction = ChatActionOf<'chat/turnComplete' | 'chat/turnCancelled' | 'chat/error'>;
const endStates = {
  'chat/turnComplete': 'complete',
  'chat/turnCancelled': 'cancelled',
  'chat/error': 'error',
} as const;

/**
 * Moves the active turn to the end of `turns`. Earlier turns are not looked at; their array is copied in one piece (`concat`
 * takes less than half of what spreading does at 2,000 turns, because it makes the new one in its size).
 */
export function endTurn(state: ChatState, action: EndAction, now: string): ChatState {
  const active = state.activeTurn;
  if (active?.id !== action.turnId) return state;
  const turn: Turn = {
    ...active,
    responseParts: active.responseParts.map(skipOpenCall),
    ...(action.duration !== undefined && { duration: Math.max(0, action.duration) }),
    state: endStates[action.type],
    ...(action.type === 'chat/error' && { error: action.error }),
  };
  const ended = { ...without(state, 'activeTurn'), turns: state.turns.concat([turn]) };
  const activity = action.type === 'chat/error' ? status.Error : status.Idle;
  return modified({ ...ended, status: withActivity(ended.status, activity) }, now);
}

/** Without an id everything goes, with an unknown one nothing. The active turn is dropped, not archived. */
export function truncate(state: ChatState, turnId: string | undefined, now: string): ChatState {
  const last = turnId === undefined ? -1 : state.turns.findLastIndex((it) => it.id === turnId);
  if (turnId !== undefined && last < 0) return state;
  const kept = { ...without(state, 'activeTurn'), turns: state.turns.slice(0, last + 1) };
  return modified(withStatus(turnId === undefined ? without(kept, 'turnsNextCursor') : kept), now);
}

/** Older turns come in front. An absent cursor means that the beginning was reached. */
export function loadTurns(state: ChatState, action: ChatActionOf<'chat/turnsLoaded'>): ChatState {
  const known = new Set(state.turns.map((it) => it.id));
  const older = action.turns.filter((it) => !known.has(it.id));
  const loaded = older.length === 0 ? state : { ...state, turns: [...older, ...state.turns] };
  return setOrClear(loaded, 'turnsNextCursor', action.turnsNextCursor);
}

function skipOpenCall(part: ResponsePart): ResponsePart {
  if (part.kind !== 'toolCall') return part;
  const toolCall = skipCall(part.toolCall);
  return toolCall === part.toolCall ? part : { ...part, toolCall };
}
