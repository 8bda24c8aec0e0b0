import { activityOf, status, withActivity, withFlag } from '../../status.ts';
import type { ActiveTurn, ChatState } from './schema.ts';

/** Recomputes the activity bits from the active turn and keeps the flags. The bit Error is never derived. */
export function withStatus(state: ChatState): ChatState {
  const activity = derivedActivity(state.activeTurn);
  if (activityOf(state.status) === activity) return state;
  return { ...state, status: withActivity(state.status, activity) };
}

/** Messages wait, and a person stopped the turn that they waited for: they wait until one is sent. */
export function isPaused({ activeTurn, turns, steeringMessage, queuedMessages }: ChatState): boolean {
  if (activeTurn || (!steeringMessage && !queuedMessages)) return false;
  return turns.at(-1)?.state === 'cancelled';
}

/** Something new to read. */
export function unread(state: ChatState): ChatState {
  const next = withFlag(state.status, status.IsRead, false);
  return next === state.status ? state : { ...state, status: next };
}

/** Marks the chat as modified now. */
export function modified(state: ChatState, now: string): ChatState {
  return state.modifiedAt === now ? state : { ...state, modifiedAt: now };
}

function derivedActivity(turn: ActiveTurn | undefined): number {
  if (!turn) return status.Idle;
  return turn.responseParts.some(needsInput) ? status.InputNeeded : status.InProgress;
}

function needsInput(part: ActiveTurn['responseParts'][number]): boolean {
  if (part.kind === 'inputRequest') return part.response === undefined;
  if (part.kind !== 'toolCall') return false;
  const waiting: readonly string[] = ['pending-confirmation', 'pending-result-confirmation', 'auth-required'];
  return waiting.includes(part.toolCall.status);
}
