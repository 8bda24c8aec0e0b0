import type { ActiveTurn, ChatState, ResponsePart } from './schema.ts';

/** Runs `update` on the active turn if it is the one that is meant; anything else is a late word about an ended turn. */
export function inTurn(state: ChatState, turnId: string, update: (turn: ActiveTurn) => ActiveTurn): ChatState {
  const before = state.activeTurn;
  if (before?.id !== turnId) return state;
  const activeTurn = update(before);
  return activeTurn === before ? state : { ...state, activeTurn };
}

/** `meta` is what the part is known to be from now on. Only a part of that kind takes text; the newest with the id, because that is the one that streams. */
export function appendText(
  turn: ActiveTurn,
  kind: 'markdown' | 'reasoning',
  partId: string,
  content: string,
  meta?: Readonly<Record<string, unknown>>,
): ActiveTurn {
  const at = turn.responseParts.findLastIndex((it) => idOf(it) === partId);
  const part = turn.responseParts[at];
  if (part?.kind !== kind || (content === '' && meta === undefined)) return turn;
  return {
    ...turn,
    responseParts: turn.responseParts.with(at, {
      ...part,
      content: part.content + content,
      ...(meta !== undefined && { _meta: meta }),
    }),
  };
}

function idOf(part: ResponsePart): string | undefined {
  if (part.kind === 'markdown' || part.kind === 'reasoning') return part.id;
  return part.kind === 'toolCall' ? part.toolCall.toolCallId : undefined;
}
